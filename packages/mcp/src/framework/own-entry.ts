import type { AgentInfo, Relay } from '@agent-relay/sdk';

/** Marks the session's own agent in a list. */
export const markOwn = <A extends Pick<AgentInfo, 'name' | 'project'>>(
  agent: A,
  { name, project }: Pick<Relay, 'name' | 'project'>,
): A & { you?: true } => (agent.name === name && agent.project === project ? { ...agent, you: true } : agent);
