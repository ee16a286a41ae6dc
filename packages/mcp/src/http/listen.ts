import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { listenError, RelayError } from '@agent-relay/protocol';
import { createMcpHttp } from './create.ts';
import type { McpHttpOptions } from './options.ts';

export interface ListenOptions extends McpHttpOptions {
  host: string;
  port: number;
  /** A certificate and its key: then it is HTTPS. */
  tls?: { cert: Buffer; key: Buffer };
}

export interface ListeningMcp {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Opens the MCP door on a port of its own. Beyond this machine it opens only with a key to it. */
export async function listenForMcp(options: ListenOptions): Promise<ListeningMcp> {
  const { host, port, tls } = options;
  if (!isLoopbackHost(host) && options.apiKey === undefined) {
    throw new RelayError(
      'InvalidSettings',
      `MCP over HTTP on ${host} can be reached by others, and has no key.`,
      {
        next: 'Set RELAY_MCP_API_KEY, or serve it on 127.0.0.1.',
      },
    );
  }
  const mcp = createMcpHttp({ ...options, allowedHosts: [...(options.allowedHosts ?? []), host] });
  const server = tls ? createSecureServer(tls, mcp.handle) : createServer(mcp.handle);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, options)));
    server.listen(port, host, resolve);
  }).catch(async (error) => {
    await mcp.close();
    throw error;
  });
  const actual = (server.address() as AddressInfo).port;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    port: actual,
    url: `${tls ? 'https' : 'http'}://${name}:${actual}${options.paths?.mcp ?? '/mcp'}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await mcp.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
