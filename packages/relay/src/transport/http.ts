import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type HttpLimits, isLoopbackHost, openHttpServer, servedHosts } from '@agent-relay/platform/http';
import { ERRORS, RelayError } from '@agent-relay/protocol';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { isOwnUser } from './own-user.ts';
import type { WebSocketDoor } from './websocket.ts';

export interface HttpOptions extends HttpLimits {
  host: string;
  port: number;
  /** How a person chooses another port, such as `--port`; told when this one is taken. */
  choosePort: string;
  /** Host names served besides those of `host`. */
  allowedHosts: string[];
  /** Origins of web pages that may connect, besides pages served from here. */
  allowedOrigins: string[];
  webSocket: WebSocketDoor;
  health: () => object;
  metrics: () => Promise<{ contentType: string; body: string }>;
  /** Whether a bearer token opens the pages that are not for everybody. */
  isKeyValid: (key: string) => Promise<boolean>;
  /** Whether programs of the same user have to show a key too; they always do if others can reach the port. */
  needsKey: boolean;
}

const WEBSOCKET_PATH = '/ws';

/** The web side of the daemon: WebSocket, health, metrics. */
export async function listenOnHttp(options: HttpOptions): Promise<{ port: number; close(): void }> {
  const refusal = originGuard(options);
  const app = createApp(options, refusal);
  const server = await openHttpServer(getRequestListener(app.fetch), options);
  server.on('upgrade', (request, socket, head) => upgrade(options, refusal(request), request, socket, head));
  return {
    port: (server.address() as AddressInfo).port,
    /** Takes nothing new and ends plain requests; WebSockets are ended by their sessions. */
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function createApp(options: HttpOptions, refusal: OriginGuard): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.use(async (context, next) => {
    const refused = refusal(context.env.incoming);
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
        { error: new RelayError('Unauthorized', 'A key is required here.').toPayload() },
        401,
      );
    }
    const { contentType, body } = await options.metrics();
    return context.body(body, 200, { 'Content-Type': contentType });
  });
  app.notFound((context) => context.json({ error: 'Not found' }, 404));
  return app;
}

type OriginGuard = (request: IncomingMessage) => RelayError | undefined;

/** A page in the user's browser must not reach the daemon under a borrowed name (DNS rebinding) or from elsewhere. */
function originGuard({ host, allowedHosts, allowedOrigins }: HttpOptions): OriginGuard {
  const isServed = servedHosts(host, allowedHosts);
  return ({ headers }) => {
    const name = hostName(headers.host) ?? '';
    if (!isServed(name)) return new RelayError('OriginRefused', `The host "${name}" is not served here.`);
    const { origin } = headers;
    if (origin === undefined || origin === `http://${headers.host}` || allowedOrigins.includes(origin))
      return undefined;
    return new RelayError('OriginRefused', `Pages from "${origin}" may not connect here.`);
  };
}

const hostName = (host: string | undefined): string | undefined => host?.replace(/:\d+$/, '').toLowerCase();

/** Somebody with a key, or, where none is needed, a program of the user this daemon runs for. */
async function isTrusted(request: IncomingMessage, options: HttpOptions): Promise<boolean> {
  const bearer = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
  if (bearer !== undefined) return options.isKeyValid(bearer);
  return !options.needsKey && isLoopbackHost(options.host) && isOwnUser(request);
}

/** The key comes in HELLO, where it is in no URL and no log; here only Host and Origin decide. */
function upgrade(
  { webSocket }: HttpOptions,
  refused: RelayError | undefined,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  // Without a listener, a peer that resets the connection while it is refused would end the daemon.
  socket.on('error', () => socket.destroy());
  const path = request.url?.split('?')[0];
  if (!refused && path === WEBSOCKET_PATH) {
    webSocket.upgrade(request, socket, head);
    return;
  }
  const [status, text] = refused ? [ERRORS.OriginRefused.http, 'Forbidden'] : [404, 'Not Found'];
  const body = JSON.stringify({ error: refused?.toPayload() ?? 'Not found' });
  socket.end(
    `HTTP/1.1 ${status} ${text}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
