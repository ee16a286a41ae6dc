import type { AgentInfo, Relay } from '@agent-relay/sdk';

/** Marks the agent of the session among others, so that it finds itself. */
export const markOwn = <A extends Pick<AgentInfo, 'name' | 'project'>>(
  agent: A,
  { name, project }: Pick<Relay, 'name' | 'project'>,
): A & { you?: true } => (agent.name === name && agent.project === project ? { ...agent, you: true } : agent);
