import { type HelloPayload, nameKey, plainAgentName } from '@agent-relay/protocol';
import type { Account } from '../governance/accounts.ts';
import type { AgentProfile, AgentStanding } from '../ports/store/agents.ts';

/** What a connection says about its agent. */
export interface Introduction
  extends Pick<
    HelloPayload,
    | 'token'
    | 'handle'
    | 'returning'
    | 'claim'
    | 'type'
    | 'ephemeral'
    | 'lead'
    | 'cli'
    | 'task'
    | 'parent'
    | 'capabilities'
    | 'tools'
    | 'mcpEnabled'
  > {
  /** From the owner of the daemon, who alone can set `type` and `lead`. */
  byOwner?: boolean;
  /** The account a new name counts for. Default: the user's own programs. */
  account?: Account;
  /** The client program, for the audit log. */
  heldBy?: string;
}

/** The agent's profile, without its tools; absent fields keep their stored values. */
export function profileOf(introduction: Introduction, before?: AgentProfile): AgentProfile {
  return {
    cli: introduction.cli ?? before?.cli,
    task: introduction.task ?? before?.task,
    parent: introduction.parent ?? before?.parent,
    capabilities: introduction.capabilities ?? before?.capabilities ?? [],
    mcpEnabled: introduction.mcpEnabled ?? before?.mcpEnabled ?? false,
  };
}

/** Whether an agent is as the profile says. */
export const hasProfile = (agent: AgentProfile, profile: AgentProfile): boolean =>
  (Object.keys(profile) as Array<keyof AgentProfile>).every(
    (field) => JSON.stringify(profile[field]) === JSON.stringify(agent[field]),
  );

/** The type and lead of a new agent: as set by the owner, else the defaults. */
export const standingOf = ({ byOwner, type = 'agent', lead = false }: Introduction): AgentStanding =>
  byOwner ? { type, lead, grants: [] } : { type: 'agent', lead: false, grants: [] };

/** The requested or existing handle; none if it equals the name. */
export function handleOf({ handle }: { handle?: string | undefined }, name: string): string | undefined {
  const bare = handle === undefined ? undefined : plainAgentName(handle);
  return bare === undefined || nameKey(bare) === nameKey(name) ? undefined : bare;
}
