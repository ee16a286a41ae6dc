import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { ERRORS, listenError, RelayError } from '@agent-relay/protocol';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { isOwnUser } from './own-user.ts';
import type { WebSocketDoor } from './websocket.ts';

export interface HttpOptions {
  host: string;
  port: number;
  /** Host names served besides the loopback ones and `host`. */
  allowedHosts: string[];
  /** Origins of web pages that may connect, besides pages served from here. */
  allowedOrigins: string[];
  webSocket: WebSocketDoor;
  health: () => object;
  metrics: () => Promise<{ contentType: string; body: string }>;
  /** Whether a bearer token opens the pages that are not for everybody. */
  isKeyValid: (key: string) => Promise<boolean>;
}

const WEBSOCKET_PATH = '/ws';

/** The web side of the daemon: WebSocket, health, metrics. */
export async function listenOnHttp(options: HttpOptions): Promise<{ port: number; close(): void }> {
  const app = createApp(options);
  const server = createAdaptorServer({
    fetch: app.fetch,
    serverOptions: { requestTimeout: 30_000 },
  }) as Server;
  server.on('upgrade', (request, socket, head) => upgrade(options, request, socket, head));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, options, ' with --port or RELAY_HTTP_PORT')));
    server.listen(options.port, options.host, () => resolve());
  });
  return {
    port: (server.address() as AddressInfo).port,
    /** Takes nothing new and ends plain requests; WebSockets are ended by their sessions. */
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function createApp(options: HttpOptions): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.use(async (context, next) => {
    const refused = refusal(context.env.incoming, options);
    if (refused) return context.json({ error: refused.toPayload() }, 403);
    context.header('X-Content-Type-Options', 'nosniff');
    context.header('Content-Security-Policy', "default-src 'none'");
    return next();
  });
  app.get('/health', (context) => context.json(options.health()));
  app.get('/metrics', async (context) => {
    if (!(await isTrusted(context.env.incoming, options))) {
      context.header('WWW-Authenticate', 'Bearer');
      return context.json(
        { error: new RelayError('Unauthorized', 'A workspace key is required here.').toPayload() },
        401,
      );
    }
    const { contentType, body } = await options.metrics();
    return context.body(body, 200, { 'Content-Type': contentType });
  });
  app.notFound((context) => context.json({ error: 'Not found' }, 404));
  return app;
}

/** A page in the user's browser must not reach the daemon under a borrowed name (DNS rebinding) or from elsewhere. */
function refusal(request: IncomingMessage, options: HttpOptions): RelayError | undefined {
  const host = hostName(request.headers.host);
  const served = ['localhost', '127.0.0.1', '[::1]', options.host, ...options.allowedHosts];
  if (host === undefined || !served.some((name) => name.toLowerCase() === host)) {
    return new RelayError('OriginRefused', `The host "${host ?? ''}" is not served here.`);
  }
  const { origin } = request.headers;
  const own = `http://${request.headers.host}`;
  if (origin !== undefined && origin !== own && !options.allowedOrigins.includes(origin)) {
    return new RelayError('OriginRefused', `Pages from "${origin}" may not connect here.`);
  }
  return undefined;
}

const hostName = (host: string | undefined): string | undefined => host?.replace(/:\d+$/, '').toLowerCase();

/** Somebody with a key, or a program of the user this daemon runs for. */
async function isTrusted(request: IncomingMessage, options: HttpOptions): Promise<boolean> {
  const bearer = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
  return bearer === undefined ? isOwnUser(request) : options.isKeyValid(bearer);
}

/** The key comes in HELLO, where it is in no URL and no log; here only Host and Origin decide. */
function upgrade(options: HttpOptions, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  // Without a listener, a peer that resets the connection while it is refused would end the daemon.
  socket.on('error', () => socket.destroy());
  const refused = refusal(request, options);
  const path = request.url?.split('?')[0];
  if (!refused && path === WEBSOCKET_PATH) {
    options.webSocket.upgrade(request, socket, head);
    return;
  }
  const [status, text] = refused ? [ERRORS.OriginRefused.http, 'Forbidden'] : [404, 'Not Found'];
  const body = JSON.stringify({ error: refused?.toPayload() ?? 'Not found' });
  socket.end(
    `HTTP/1.1 ${status} ${text}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
