import type { ToolDefinition } from '@agent-relay/protocol';

/** What agents offer to others. It may be large and is rarely needed, so it is not part of the agents. */
export interface ToolStore {
  /** Replaces what an agent offers; a removed agent offers nothing. */
  setTools(agentId: number, tools: ToolDefinition[]): Promise<void>;
  /** In the given order. */
  toolsOf(agentId: number): Promise<ToolDefinition[]>;
  /** The agents of a workspace that offer a tool of this name. */
  toolOwners(workspaceId: number, name: string): Promise<number[]>;
  /** The names of the tools of each agent; agents without tools are omitted. */
  toolNames(agentIds: number[]): Promise<Array<{ agentId: number; names: string[] }>>;
}
