import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type HttpLimits, hostInUrl, isLoopbackHost, openHttpServer } from '@agent-relay/platform/http';
import { RelayError } from '@agent-relay/protocol';
import type { Gateway } from '../../gateway.ts';
import { Guard, type GuardOptions } from './guard.ts';
import { HttpHandler, type HttpHandlerOptions } from './handler.ts';
import { refusal, refuse } from './refusal.ts';

export interface HttpFrontOptions extends GuardOptions, HttpHandlerOptions, HttpLimits {
  port?: number;
  /** How a person chooses another port; told when this one is taken. */
  choosePort?: string;
  path?: string;
  /** A certificate and its key: then it is HTTPS. */
  tls?: { cert: Buffer; key: Buffer };
}

export interface HttpFront {
  readonly url: string;
  close(): Promise<void>;
}

/** Listens for clients of the gateway, and lets in whom its guard knows. */
export async function serveGatewayHttp(gateway: Gateway, options: HttpFrontOptions = {}): Promise<HttpFront> {
  const { host = '127.0.0.1', port = 0, path = '/mcp', tls } = options;
  if (options.apiKey === undefined && !(isLoopbackHost(host) && options.isOwnUser)) {
    throw new RelayError('InvalidSettings', `Listening on ${host} needs a key.`, {
      next: 'Set RELAY_MCP_API_KEY, or listen on 127.0.0.1.',
    });
  }
  const guard = new Guard(options);
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
  const server = await openHttpServer(listener, { ...options, host, port });
  const { address, port: actual } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://${hostInUrl(address)}:${actual}${path}`,
    async close() {
      await handler.close();
      server.closeAllConnections();
      server.close();
      if (server.listening) await once(server, 'close');
    },
  };
}
