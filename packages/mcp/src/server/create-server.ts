import type { Server } from '@modelcontextprotocol/server';
import { buildServer } from './build-server.ts';
import { asClientInfo } from './client-info.ts';
import { type LocalContextOptions, localClientContext } from './local-client-context.ts';

export interface ServerOptions extends LocalContextOptions {
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
  const context = localClientContext(options, replies, onerror);
  const server = buildServer(context, { era: 'legacy', lasting: true });
  server.oninitialized = () => {
    context.participant.introduce(asClientInfo(options.client) ?? server.getClientVersion());
    context.participant.start();
  };
  const closed = server.onclose;
  server.onclose = () => {
    closed?.();
    Promise.all([context.participant.close(), context.roles.close()]).catch(onerror);
  };
  return server;
}
