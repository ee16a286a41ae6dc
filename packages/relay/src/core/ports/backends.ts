import { type CallProgress, RelayError, type ServerInfo, type ServerTool } from '@agent-relay/protocol';

/** The MCP servers of the daemon, which share one namespace with the agents: `name.tool` is a tool of either. */
export interface Backends {
  /** The configured name of a server, ignoring case. */
  find(name: string): string | undefined;
  /** The server whose calls begin with this word, ignoring case: `my` for `my.files`. */
  beginningWith(word: string): string | undefined;
  /** The schema of a tool's arguments, the same object each time; undefined if it is not known. */
  inputSchema(name: string, tool: string): object | undefined;
  /**
   * Calls a tool; rejects with a `RelayError`, also when `signal` ends the call: with `CalleeGone` or `Timeout` if the server may have got
   * the call.
   */
  call(
    name: string,
    tool: string,
    args: Record<string, unknown>,
    options: { signal: AbortSignal; onProgress: (progress: CallProgress) => void },
  ): Promise<unknown>;
  /** Every configured server; `error`: the files on disk are not applied. */
  list(): { servers: ServerInfo[]; error?: string };
  /** Every tool a server offers, also those that cannot be called. */
  tools(name: string): ServerTool[];
  /** Approves the changed definition of a tool that has this digest. */
  approve(name: string, tool: string, digest: string): Promise<void>;
  /** Adds and removes servers; undefined if the settings allow it to nobody. */
  readonly manager: BackendManager | undefined;
}

/** Changes are saved; all reject with a `RelayError`. */
export interface BackendManager {
  /** Resolves when it is connected, or that failed. */
  add(name: string, url: string): Promise<void>;
  remove(name: string): Promise<void>;
  reconnect(name: string): Promise<void>;
}

const reject = async (): Promise<never> => {
  throw new RelayError('BackendNotFound', 'This daemon has no MCP servers.', {
    next: 'List servers in a file, and restart the daemon with it: agent-relay restart --mcp-servers FILE',
  });
};

/** For a daemon that has none. */
export const NO_BACKENDS: Backends = {
  find: () => undefined,
  beginningWith: () => undefined,
  inputSchema: () => undefined,
  call: reject,
  list: () => ({ servers: [] }),
  tools: () => [],
  approve: reject,
  manager: { add: reject, remove: reject, reconnect: reject },
};
