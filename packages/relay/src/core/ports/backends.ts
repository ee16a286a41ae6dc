/** The MCP servers of the daemon, which share one namespace with the agents: `name.tool` is a tool of either. */
export interface Backends {
  /** The configured name of a server, ignoring case. */
  find(name: string): string | undefined;
  /** The server whose calls begin with this word, ignoring case: `my` for `my.files`. */
  beginningWith(word: string): string | undefined;
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
  beginningWith: () => undefined,
  call: () => Promise.reject(new Error('There are no backends.')),
};
