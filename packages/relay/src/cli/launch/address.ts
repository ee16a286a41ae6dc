import { once } from 'node:events';
import { createServer } from 'node:net';

export const HOST = '127.0.0.1';

/** Where sessions connect. */
export const addressOf = (port: number): string => `http://localhost:${port}/sse`;

/** The entry for the configuration of a client. */
export const clientConfig = (port: number, key: string | undefined): string => {
  const authorization = key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } };
  const relay = { type: 'sse', url: addressOf(port), ...authorization };
  return JSON.stringify({ mcpServers: { relay } }, undefined, 2);
};

/** Whether nobody listens on the port. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, HOST);
  try {
    await once(server, 'listening');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  } finally {
    server.close();
  }
}
