import { RelayError } from '@agent-relay/protocol';
import type { Agent } from './ports/store/agents.ts';
import type { Workspace } from './ports/store/workspaces.ts';

/**
 * Who asks: found out when the connection was made, never read from a request. Every operation gets one.
 */
export interface Principal {
  readonly workspace: Workspace;
  /** The agent whose token was shown, or the owner's person on a page; undefined for somebody who only observes. */
  readonly agent: Agent | undefined;
  /** Only says it is this agent: several share the connection that holds the token. */
  readonly unverified: boolean;
  /** Connected through the local socket, so: the user this daemon runs for, or a program of theirs. */
  readonly local: boolean;
  /** May administer, and see the whole project: the local user not acting as an agent, or a page they signed in. */
  readonly owner: boolean;
  /** The workspace key it came in with; revoking that key ends the connection. */
  readonly keyId: string | undefined;
  /** The page session it came in with; revoking that ends the connection. */
  readonly pageSessionId: string | undefined;
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

/** A key without a name may look, and change nothing. */
export function requireAgentOrOwner(principal: Principal): void {
  if (!principal.owner) requireAgent(principal);
}

/** May look at everything in the workspace, not only at what was sent to or by one agent. */
export const seesWholeWorkspace = ({ owner }: Principal): boolean => owner;

/** Who shares the store with others, however many connections they have: an agent, the bearers of a key, the owner. */
export function readerName({ agent, owner, keyId }: Principal): string {
  if (agent && !owner) return `agent ${agent.id}`;
  return keyId === undefined ? 'owner' : `key ${keyId}`;
}

/** How the audit trail names a principal. */
export const actorName = (principal: Principal): string =>
  principal.agent?.name ?? (principal.owner ? 'owner' : `key ${principal.keyId ?? 'none'}`);
