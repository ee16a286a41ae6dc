import type { Agent } from '../ports/store/agents.ts';
import { isUsersOwn, type Principal } from '../principal.ts';

/**
 * Whom quotas count for. An agent that the user's own programs registered has an account of its
 * own. The agents that came with a key share the account of the key: whoever has one can make any number of them.
 */
export type Account = string;

/** The user's own programs, for the names they register. */
export const LOCAL: Account = 'local';
/** The holders of the key of the MCP door. */
export const GUESTS: Account = 'guests';
export const keyAccount = (keyId: string): Account => `key ${keyId}`;

/** Whom the things that an agent makes count for. */
export const accountOf = ({ id, account = LOCAL }: Pick<Agent, 'id' | 'account'>): Account =>
  account === LOCAL ? `agent ${id}` : account;

/** Whom a connection counts for; undefined for one of the user's own programs. */
export function connectionAccount(principal: Principal): Account | undefined {
  const { keyId, agent } = principal;
  if (isUsersOwn(principal)) return undefined;
  if (keyId !== undefined) return keyAccount(keyId);
  return agent ? accountOf(agent) : GUESTS;
}

/** An account of one workspace: local programs and guests have one in each. */
export const accountIn = (workspaceId: number, account: Account): string => `${workspaceId} ${account}`;
