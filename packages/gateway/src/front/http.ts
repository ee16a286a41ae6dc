import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { listenError, RelayError } from '@agent-relay/protocol';
import type { Gateway } from '../gateway.ts';
import { Guard, type GuardOptions } from './http-guard.ts';
import { HttpHandler, type HttpHandlerOptions } from './http-handler.ts';
import { refusal, refuse } from './http-refusal.ts';

export interface HttpFrontOptions extends GuardOptions, HttpHandlerOptions {
  host?: string;
  port?: number;
  path?: string;
  /** A certificate and its key: then it is HTTPS. */
  tls?: { cert: Buffer; key: Buffer };
}

export interface HttpFront {
  readonly url: string;
  close(): Promise<void>;
}

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/** Listens for clients of the gateway, and lets in whom its guard knows. */
export async function serveGatewayHttp(gateway: Gateway, options: HttpFrontOptions = {}): Promise<HttpFront> {
  const { host = '127.0.0.1', port = 0, path = '/mcp', tls } = options;
  if (options.apiKey === undefined && !(LOOPBACK.has(host) && options.isOwnUser)) {
    throw new RelayError('InvalidSettings', `Listening on ${host} needs a key.`, {
      next: 'Set RELAY_MCP_API_KEY, or listen on 127.0.0.1.',
    });
  }
  const guard = new Guard({ ...options, allowedHosts: [...(options.allowedHosts ?? []), inUrl(host)] });
  const handler = new HttpHandler(gateway, options);
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const refused = await guard.check(request);
    if (refused) throw refusal(refused.status, refused.message);
    if (request.url?.split('?', 1)[0] !== path) throw refusal(404, 'Not found');
    await handler.handle(request, response, {
      // All that are let in are one user or hold one key: which of its agents calls, it says itself.
      caller: String(request.headers['relay-agent'] ?? ''),
      // Whoever holds the key may be anywhere: a proxy or a tunnel on this machine looks like a program of the owner.
      remote: options.apiKey !== undefined,
    });
  };
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    serve(request, response).catch((error) => refuse(response, error));
  };
  const server = tls ? createSecureServer(tls, listener) : createServer(listener);
  server.listen(port, host);
  await once(server, 'listening').catch((error: Error) => {
    throw listenError(error, { host, port });
  });
  const { address, port: actual } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://${inUrl(address)}:${actual}${path}`,
    async close() {
      await handler.close();
      server.closeAllConnections();
      server.close();
      if (server.listening) await once(server, 'close');
    },
  };
}

const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);
