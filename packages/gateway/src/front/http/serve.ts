import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  agentNameIn,
  type DoorsOptions,
  identify,
  NO_PAGES,
  openDoors,
  requireKeyBeyondLoopback,
} from '@agent-relay/platform/http';
import { sameSecret } from '@agent-relay/platform/secrets';
import { RelayError } from '@agent-relay/protocol';
import type { Gateway } from '../../gateway.ts';
import { HttpHandler, type HttpHandlerOptions } from './handler.ts';
import { refuse } from './refusal.ts';

export interface HttpFrontOptions extends HttpHandlerOptions, Partial<Omit<DoorsOptions, 'settings'>> {
  /** The key that callers must send. Without one, only programs of this user are served. */
  apiKey?: string | undefined;
  path?: string;
}

export interface HttpFront {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the gateway on its own port. */
export async function serveGatewayHttp(gateway: Gateway, options: HttpFrontOptions = {}): Promise<HttpFront> {
  const { host = '127.0.0.1', port = 0, path = '/mcp', apiKey } = options;
  requireKeyBeyondLoopback(host, apiKey);
  const handler = new HttpHandler(gateway, options);
  const rule = {
    needsKey: apiKey !== undefined,
    isKeyValid: (key: string) => apiKey !== undefined && sameSecret(key, apiKey),
  };
  const door = {
    paths: [path],
    contentSecurityPolicy: NO_PAGES,
    handle: async (request: IncomingMessage, response: ServerResponse) => {
      if (!(await identify(request, rule))) throw new RelayError('Unauthorized', 'A key is required.');
      await handler.handle(request, response, {
        // All callers are one user or share one key, so each may say which agent it is.
        caller: agentNameIn(request) ?? '',
        // A key holder may be anywhere: a proxy or tunnel on this machine looks like a local program.
        remote: apiKey !== undefined,
      });
    },
    refuse,
  };
  const opened = await openDoors([door], { ...options, host, port, settings: 'mcp' }).catch(async (error) => {
    await handler.close();
    throw error;
  });
  return {
    url: `${opened.url}${path}`,
    async close() {
      await handler.close();
      opened.close();
    },
  };
}
