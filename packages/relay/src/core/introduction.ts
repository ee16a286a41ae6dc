import type { HelloPayload } from '@agent-relay/protocol';
import type { AgentProfile } from './ports/store.ts';

/** What a connection says about the agent behind it. */
export type Introduction = Pick<
  HelloPayload,
  | 'name'
  | 'token'
  | 'returning'
  | 'type'
  | 'ephemeral'
  | 'lead'
  | 'cli'
  | 'task'
  | 'parent'
  | 'capabilities'
  | 'tools'
  | 'mcpEnabled'
>;

/** What an agent says about itself now; what it leaves unsaid stays as it was. */
export function profileOf(introduction: Introduction, before?: AgentProfile): AgentProfile {
  return {
    type: introduction.type ?? before?.type ?? 'agent',
    lead: introduction.lead ?? before?.lead ?? false,
    ephemeral: introduction.ephemeral ?? before?.ephemeral ?? false,
    cli: introduction.cli ?? before?.cli,
    task: introduction.task ?? before?.task,
    parent: introduction.parent ?? before?.parent,
    capabilities: introduction.capabilities ?? before?.capabilities ?? [],
    tools: introduction.tools ?? before?.tools ?? [],
    mcpEnabled: introduction.mcpEnabled ?? before?.mcpEnabled ?? false,
  };
}

/** Whether an agent is as the profile says. */
export const hasProfile = (agent: AgentProfile, profile: AgentProfile): boolean =>
  (Object.keys(profile) as Array<keyof AgentProfile>).every(
    (field) => JSON.stringify(profile[field]) === JSON.stringify(agent[field]),
  );
