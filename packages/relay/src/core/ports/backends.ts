import type { ToolDefinition } from '@agent-relay/protocol';

/** The MCP servers of the daemon, which share one namespace with the agents: `name.tool` is a tool of either. */
export interface Backends {
  /** The configured name of a server, ignoring case. */
  find(name: string): string | undefined;
  /** The tools of a server that may be called. */
  tools(name: string): ToolDefinition[];
  /** Calls a tool; rejects with a `RelayError`, also when `signal` ends the call. */
  call(
    name: string,
    tool: string,
    args: Record<string, unknown>,
    options: { signal: AbortSignal },
  ): Promise<unknown>;
}

/** For a daemon that has none. */
export const NO_BACKENDS: Backends = {
  find: () => undefined,
  tools: () => [],
  call: () => Promise.reject(new Error('There are no backends.')),
};
