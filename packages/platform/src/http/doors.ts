import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { ERRORS, isRelayError, RelayError } from '@agent-relay/protocol';
import { type GuardOptions, requestGuard } from './guard.ts';
import { hostInUrl } from './hosts.ts';
import { Pipelines } from './pipelines.ts';
import type { DoorResponse } from './response.ts';
import { type HttpServerOptions, openHttpServer } from './server.ts';

/** A part of an HTTP server. It answers requests to its own paths and decides who may access them. */
export interface Door {
  readonly paths: readonly string[];
  /** Content security policy of its pages. */
  readonly contentSecurityPolicy: string;
  handle?(request: IncomingMessage, response: ServerResponse): void | Promise<void>;
  /** Takes over a connection that asks for another protocol, such as WebSocket. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Answers a request that was refused or failed, in the door's own format. Default: JSON with the error. */
  refuse?(response: ServerResponse, error: unknown): void;
}

/** The policy of doors that serve no pages. */
export const NO_PAGES = "default-src 'none'";

export interface DoorsOptions extends HttpServerOptions, GuardOptions {
  /** Called with unexpected errors. */
  onerror?(error: unknown): void;
}

export interface OpenDoors {
  readonly port: number;
  /** URL of the server, without a path. */
  readonly url: string;
  /** Stops listening and closes open connections, except upgraded ones, which their door closes. */
  close(): void;
}

/** Opens an HTTP server with these doors, behind one guard. */
export async function openDoors(doors: readonly Door[], options: DoorsOptions): Promise<OpenDoors> {
  const { onerror = console.error } = options;
  const guard = requestGuard(options);
  const doorAt = new Map(doors.flatMap((door) => door.paths.map((path) => [path, door] as const)));
  const headersOf = new Map(
    doors.map((door) => [
      door,
      { 'X-Content-Type-Options': 'nosniff', 'Content-Security-Policy': door.contentSecurityPolicy },
    ]),
  );

  const pipelines = new Pipelines();
  const listener = async (request: IncomingMessage, response: DoorResponse) => {
    if (!pipelines.admit(request.socket, response)) return;
    // A client may disconnect during a write. Without a listener that would crash the process.
    response.on('error', () => response.destroy());
    const door = doorAt.get(pathOf(request));
    try {
      const refused = guard(request);
      if (refused) throw refused;
      if (!door?.handle) return sendJson(response, 404, { error: 'Not found' });
      response.commonHeaders = headersOf.get(door);
      await door.handle(request, response);
    } catch (error) {
      if (door?.refuse) return door.refuse(response, error);
      if (!isRelayError(error)) onerror(error);
      if (response.headersSent) response.destroy();
      else sendFailure(response, error);
    }
  };

  const server = await openHttpServer(listener, options);
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Without a listener, a peer that resets the connection meanwhile would crash the process.
    socket.on('error', () => socket.destroy());
    const door = doorAt.get(pathOf(request));
    const refused = guard(request);
    if (refused) endWith(socket, '403 Forbidden', { error: refused.toPayload() });
    else if (!door?.upgrade) endWith(socket, '404 Not Found', { error: 'Not found' });
    else door.upgrade(request, socket, head);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${options.tls ? 'https' : 'http'}://${hostInUrl(options.host)}:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const pathOf = ({ url = '/' }: IncomingMessage): string => url.split('?', 1)[0] ?? '/';

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

function sendFailure(response: ServerResponse, error: unknown): void {
  const failure = isRelayError(error) ? error : new RelayError('Internal');
  const { http } = ERRORS[failure.code];
  sendJson(
    response,
    http,
    { error: failure.toPayload() },
    http === 401 ? { 'WWW-Authenticate': 'Bearer' } : {},
  );
}

/** Refuses an upgrade. */
function endWith(socket: Duplex, status: string, body: unknown): void {
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}
