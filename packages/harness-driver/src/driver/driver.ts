import type { OperationResult, RunExit } from '@agent-relay/protocol';
import type { AgentInfo, ToolCall } from '@agent-relay/sdk';

/** The call of an action without its input. */
export type DriverCall = Omit<ToolCall<unknown>, 'input'>;

/** The input of `agent.create`. */
export interface CreateRequest {
  name: string;
  cli: string;
  task?: string;
  model?: string;
  /** Relative to the project. */
  cwd?: string;
  channels?: string[];
}

export interface AgentStatus extends Pick<AgentInfo, 'name' | 'status' | 'cli' | 'task' | 'parent'> {
  run?: AgentInfo['run'];
}

/** The text on an agent's terminal. */
export interface ShownTerminal {
  name: string;
  columns: number;
  rows: number;
  screen: string;
}

/**
 * Starts agents somewhere, and ends them. `call` is the call of the action: a driver acts for its caller, `call.agent`, and refuses what
 * the caller may not do.
 */
export interface Driver {
  /** Resolves when the agent is working on its task, or with what it waits for. */
  create(request: CreateRequest, call: DriverCall): Promise<OperationResult<'SPAWN'>>;
  /** Resolves when the agent has ended. */
  release(
    request: { name: string; reason?: string },
    call: DriverCall,
  ): Promise<{ name: string; exit?: RunExit }>;
  /** The status of one agent, or of all. */
  status(request: { name?: string }, call: DriverCall): Promise<AgentStatus[]>;
  /** Only for drivers that can show a terminal. */
  attach?(request: { name: string }, call: DriverCall): Promise<ShownTerminal>;
}
