import type { AddressInfo } from 'node:net';
import { type HttpLimits, hostInUrl, isLoopbackHost, openHttpServer } from '@agent-relay/platform/http';
import { RelayError } from '@agent-relay/protocol';
import { createMcpHttp } from './create.ts';
import type { McpHttpOptions } from './options.ts';

export interface ListenOptions extends McpHttpOptions, HttpLimits {
  host: string;
  port: number;
  /** How a person chooses another port, such as `--port`; told when this one is taken. */
  choosePort?: string;
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
  const { host, tls } = options;
  if (!isLoopbackHost(host) && options.apiKey === undefined) {
    throw new RelayError(
      'InvalidSettings',
      `MCP over HTTP on ${host} can be reached by others, and has no key.`,
      {
        next: 'Set RELAY_MCP_API_KEY, or serve it on 127.0.0.1.',
      },
    );
  }
  const mcp = createMcpHttp(options);
  const server = await openHttpServer(mcp.handle, options).catch(async (error) => {
    await mcp.close();
    throw error;
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${tls ? 'https' : 'http'}://${hostInUrl(host)}:${port}${options.paths?.mcp ?? '/mcp'}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await mcp.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
