import type { Agent } from '../ports/store/agents.ts';
import { isUsersOwn, type Principal } from '../principal.ts';

/**
 * Who quotas count for. An agent registered by the user's own programs has its own
 * account. Agents of a key share the account of the key, because its holder can create any number of them.
 */
export type Account = string;

/** The user's own programs, for the names they register. */
export const LOCAL: Account = 'local';
/** Clients with the API key of the MCP door. */
export const GUESTS: Account = 'guests';
export const keyAccount = (keyId: string): Account => `key ${keyId}`;

/** The account of what an agent creates. */
export const accountOf = ({ id, account = LOCAL }: Pick<Agent, 'id' | 'account'>): Account =>
  account === LOCAL ? `agent ${id}` : account;

/** The account of what a client calls: that of its agent, its key, or the user. */
export function callerAccount({ agent, keyId }: Principal): Account {
  if (agent) return accountOf(agent);
  return keyId === undefined ? LOCAL : keyAccount(keyId);
}

/** The account of a connection; undefined for one of the user's own programs. */
export function connectionAccount(principal: Principal): Account | undefined {
  const { keyId, agent } = principal;
  if (isUsersOwn(principal)) return undefined;
  if (keyId !== undefined) return keyAccount(keyId);
  return agent ? accountOf(agent) : GUESTS;
}

/** An account of one workspace: local programs and guests have one in each. */
export const accountIn = (workspaceId: number, account: Account): string => `${workspaceId} ${account}`;
