import type { Server } from '@modelcontextprotocol/server';
import { buildServer } from './build-server.ts';
import { asClientInfo } from './client-info.ts';
import { type LocalDeskOptions, localDesk } from './local-desk.ts';

export interface ServerOptions extends LocalDeskOptions {
  /** The program behind the connection, where another one makes it. */
  client?: unknown;
  onerror?(error: unknown): void;
}

/**
 * The relay's MCP server for whoever brings a transport of their own: `createServer().connect(transport)`. Closing it
 * leaves the relay. It speaks the 2025 revisions; `serveStdio` and `createMcpHttp` speak all of them.
 */
export function createServer(options: ServerOptions = {}): Server {
  const { onerror = console.error } = options;
  // A transport of unknown make does not tell when a reply was written; when it was handed over has to do.
  const replies = {
    after: (_mcp: unknown, action: (written: boolean) => Promise<void>) =>
      void setImmediate(() => action(true).catch(onerror)),
  };
  const desk = localDesk(options, replies, onerror);
  const server = buildServer(desk, { era: 'legacy', lasting: true });
  server.oninitialized = () => {
    desk.participant.introduce(asClientInfo(options.client) ?? server.getClientVersion());
    desk.participant.start();
  };
  const closed = server.onclose;
  server.onclose = () => {
    closed?.();
    Promise.all([desk.participant.close(), desk.roles.close()]).catch(onerror);
  };
  return server;
}
