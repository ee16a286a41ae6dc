import { RelayError } from '@agent-relay/protocol';
import type { Agent } from './ports/store/agents.ts';
import type { Workspace } from './ports/store/workspaces.ts';

/**
 * The identity of a caller, established when it connects, never read from a request. Every operation gets one.
 */
export interface Principal {
  readonly workspace: Workspace;
  /** The agent whose token was shown, or the owner's person on a page; undefined for an observer. */
  readonly agent: Agent | undefined;
  /** Only claims to be this agent: several users share the connection. */
  readonly unverified: boolean;
  /** Connected over the local socket: the user of this daemon, or a program of theirs. */
  readonly local: boolean;
  /** May administer, and see the whole project: the local user not acting as an agent, or a page they signed in. */
  readonly owner: boolean;
  /** The workspace key it connected with; revoking that key closes the connection. */
  readonly keyId: string | undefined;
  /** The page session it came in with; revoking that ends the connection. */
  readonly pageSessionId: string | undefined;
  /** The principal that performs a call for this one; both need the rights. */
  readonly through?: Principal;
}

/** The relay as a sender of notices. */
export const relayItself = (workspace: Workspace, agent: Agent): Principal => ({
  workspace,
  agent,
  unverified: false,
  local: true,
  owner: false,
  keyId: undefined,
  pageSessionId: undefined,
});

/** The user this daemon runs for, or a program of theirs: on the local socket, or on a page they signed in. */
export const isUsersOwn = ({ local, owner }: Principal): boolean => local || owner;

export function requireOwner(principal: Principal, doing: string): void {
  if (principal.owner) return;
  throw new RelayError('Forbidden', `Only the local owner of the workspace may ${doing}.`, {
    next: "Run the command on the daemon's machine, as the user who runs the daemon, without --as.",
  });
}

export function requireAgent(principal: Principal): Agent {
  if (principal.agent) return principal.agent;
  throw new RelayError('AgentNameRequired');
}

/** A key without a name can only read. */
export function requireAgentOrOwner(principal: Principal): void {
  if (!principal.owner) requireAgent(principal);
}

/** Requires an identity to show to a callee: an agent, the owner, or the holders of a key. */
export function requireIdentity(principal: Principal): void {
  if (principal.keyId === undefined) requireAgentOrOwner(principal);
}

/** Whether the principal can see everything in the workspace, not only the messages of one agent. */
export const seesWholeWorkspace = ({ owner }: Principal): boolean => owner;

/** The unit of fair reading, however many connections it has: an agent, a key, the owner. */
export function readerName({ agent, owner, keyId }: Principal): string {
  if (agent && !owner) return `agent ${agent.id}`;
  return keyId === undefined ? 'owner' : `key ${keyId}`;
}

/** The principal's name in the audit log. */
export const actorName = (principal: Principal): string =>
  principal.agent?.name ?? (principal.keyId === undefined ? 'owner' : `key ${principal.keyId}`);
