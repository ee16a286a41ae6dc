import type { OperationResult, ServerInfo, ServerTool } from '@agent-relay/protocol';
import type { ClientSession } from '../connection/client-session.ts';
import { allPages } from './pages.ts';

/** A server may take a while to connect. */
const SLACK_MS = 60_000;

/** The MCP servers of the daemon, for its owner. */
export class Servers {
  readonly #session: ClientSession;

  constructor(session: ClientSession) {
    this.#session = session;
  }

  /** Every server with its health and problems. `manageable`: servers can be added, removed and reconnected. */
  list(): Promise<OperationResult<'SERVERS'>> {
    return this.#session.request('SERVERS', {});
  }

  /** Every tool of a server, by the server's own names; those with a `problem` cannot be called. */
  tools(server: string): Promise<ServerTool[]> {
    return allPages(async (cursor) => {
      const { tools, next } = await this.#session.request('SERVER_TOOLS', { server, cursor });
      return { entries: tools, next };
    });
  }

  /** Adds a server by its URL, saves that and connects; resolves with its state then. */
  async add(server: string, url: string): Promise<ServerInfo> {
    const id = this.#session.newId();
    return (await this.#session.request('SERVER_ADD', { server, url }, id, undefined, SLACK_MS)).server;
  }

  /** Removes a server and saves that. */
  async remove(server: string): Promise<void> {
    await this.#session.request('SERVER_REMOVE', { server });
  }

  /** Reconnects a server, which ends its open calls; resolves with its state then. */
  async reconnect(server: string): Promise<ServerInfo> {
    const id = this.#session.newId();
    return (await this.#session.request('SERVER_RECONNECT', { server }, id, undefined, SLACK_MS)).server;
  }

  /** Approves the changed definition of a tool: the one with this `digest`, as `tools` shows it. */
  async approve(server: string, tool: string, digest: string): Promise<void> {
    await this.#session.request('SERVER_APPROVE', { server, tool, digest });
  }
}
