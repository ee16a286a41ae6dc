import type { ToolDefinition } from '@agent-relay/protocol';

/** What agents offer to others. It may be large and is seldom asked for, so it is not a part of the agents. */
export interface ToolStore {
  /** Replaces what an agent offers; one that was removed offers nothing. */
  setTools(agentId: number, tools: ToolDefinition[]): Promise<void>;
  /** In the order they were given. */
  toolsOf(agentId: number): Promise<ToolDefinition[]>;
  /** The agents of a workspace that offer a tool of this name. */
  toolOwners(workspaceId: number, name: string): Promise<number[]>;
  /** The names of the tools of each agent; those that offer none are left out. */
  toolNames(agentIds: number[]): Promise<Array<{ agentId: number; names: string[] }>>;
}
