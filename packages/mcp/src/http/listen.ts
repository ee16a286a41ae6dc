import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { listenError, RelayError } from '@agent-relay/protocol';
import { createMcpHttp } from './create.ts';
import type { McpHttpOptions } from './options.ts';

export interface ListenOptions extends McpHttpOptions {
  host: string;
  port: number;
  /** Files with a certificate and its key: then it is HTTPS. */
  tls?: { cert: string; key: string };
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
  const certificate = tls && (await readTls(tls));
  const mcp = createMcpHttp({ ...options, allowedHosts: [...(options.allowedHosts ?? []), host] });
  const server = certificate ? createSecureServer(certificate, mcp.handle) : createServer(mcp.handle);
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

async function readTls(files: { cert: string; key: string }): Promise<{ cert: Buffer; key: Buffer }> {
  try {
    return { cert: await readFile(files.cert), key: await readFile(files.key) };
  } catch (cause) {
    throw new RelayError('InvalidSettings', `The TLS files cannot be read: ${(cause as Error).message}.`, {
      cause,
    });
  }
}

const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
