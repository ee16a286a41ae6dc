import { once } from 'node:events';
import { createServer } from 'node:net';
import { listenError } from '@agent-relay/platform/http';
import type { RelayError } from '@agent-relay/protocol';

export const HOST = '127.0.0.1';

/** The URL that sessions connect to. */
export const addressOf = (port: number): string => `http://localhost:${port}/sse`;

/** The entry for the configuration of a client. */
export const clientConfig = (port: number, key: string | undefined): string => {
  const authorization = key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } };
  const relay = { type: 'sse', url: addressOf(port), ...authorization };
  return JSON.stringify({ mcpServers: { relay } }, undefined, 2);
};

/** Why the port cannot be used; undefined if it can. */
export async function portProblem(port: number): Promise<RelayError | undefined> {
  const server = createServer().listen(port, HOST);
  try {
    await once(server, 'listening');
    return undefined;
  } catch (error) {
    return await listenError(error as Error, { host: HOST, port, choosePort: '--port' });
  } finally {
    server.close();
  }
}
