import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RelayError } from '@agent-relay/protocol';
import { LEGACY_VERSIONS } from '../backend/negotiate.ts';
import type { Gateway } from '../gateway.ts';
import { toJson } from '../json/raw-json.ts';
import { Guard, type GuardOptions } from './http-guard.ts';
import { ReplyOutlet, StandaloneOutlet } from './http-outlets.ts';
import { classify, HttpError, type Posted, readBody } from './http-request.ts';
import { errorBytes, errorMessage, ProtocolError } from './messages.ts';
import type { Session } from './session.ts';

export interface HttpFrontOptions extends GuardOptions {
  host?: string;
  port?: number;
  path?: string;
  /** A session nobody used for this long is ended; clients seldom say goodbye. */
  sessionIdleMs?: number;
}

export interface HttpFront {
  readonly url: string;
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 16 * 1024 * 1024;
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/** What the front keeps of a client between its requests. */
interface Visitor {
  session: Session;
  standalone: StandaloneOutlet;
  seen: number;
  open: number;
}

/** Serves the gateway over Streamable HTTP: with sessions for the older eras, without for the modern one. */
export async function serveGatewayHttp(gateway: Gateway, options: HttpFrontOptions = {}): Promise<HttpFront> {
  const { host = '127.0.0.1', port = 0, path = '/mcp' } = options;
  if (!LOOPBACK.has(host) && options.apiKey === undefined) {
    throw new RelayError('InvalidSettings', `Listening on ${host} needs a key.`, {
      next: 'Set RELAY_MCP_API_KEY, or listen on 127.0.0.1.',
    });
  }
  const front = new Front(gateway, options);
  const server = createServer((request, response) => void front.handle(request, response, path));
  server.listen(port, host);
  await Promise.race([
    once(server, 'listening'),
    once(server, 'error').then(([error]: Error[]) => {
      throw new RelayError('PortInUse', `Cannot listen on ${host}:${port}: ${error?.message}.`, {
        cause: error,
      });
    }),
  ]);
  const { address, port: actual, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}${path}`,
    close: () => front.close(server),
  };
}

class Front {
  readonly #gateway: Gateway;
  readonly #guard: Guard;
  readonly #idleMs: number;
  /** Clients of the older eras by their session id. */
  readonly #sessions = new Map<string, Visitor>();
  /** Clients of the modern era by the agent they say they are: the protocol itself has no session. */
  readonly #agents = new Map<string, Visitor>();
  readonly #sweep: NodeJS.Timeout;

  constructor(gateway: Gateway, options: HttpFrontOptions) {
    this.#gateway = gateway;
    this.#guard = new Guard(options);
    this.#idleMs = options.sessionIdleMs ?? 30 * 60_000;
    this.#sweep = setInterval(() => this.#collect(), Math.min(this.#idleMs, 60_000));
    this.#sweep.unref();
  }

  async handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    try {
      const refused = await this.#guard.check(request);
      if (refused) throw new HttpError(refused.status, new ProtocolError(-32000, refused.message));
      if (request.url?.split('?', 1)[0] !== path) throw notHere(404, 'Not found');
      if (request.method === 'POST') await this.#post(request, response);
      else if (request.method === 'GET') this.#openStream(request, response);
      else if (request.method === 'DELETE') await this.#end(request, response);
      else throw notHere(405, 'Method not allowed.');
    } catch (error) {
      refuse(response, error);
    }
  }

  async close(server: Server): Promise<void> {
    clearInterval(this.#sweep);
    for (const { session } of [...this.#sessions.values(), ...this.#agents.values()]) await session.close();
    server.closeAllConnections();
    server.close();
    if (server.listening) await once(server, 'close');
  }

  async #post(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
      throw notHere(415, 'Content-Type must be application/json.');
    }
    const posted = classify(await readBody(request, MAX_BODY_BYTES), request.headers);
    if (posted.era === 'modern') this.#postModern(posted, request, response);
    else this.#postLegacy(posted, request, response);
  }

  #postModern(posted: Posted, request: IncomingMessage, response: ServerResponse): void {
    // Cancelling is ending the response; no other notification of a client means anything here.
    if (posted.id === undefined || posted.method === undefined) {
      accepted(response);
      return;
    }
    const agent = String(request.headers['relay-agent'] ?? '');
    const visitor = this.#agents.get(agent) ?? this.#welcome();
    this.#agents.set(agent, visitor);
    const cancel = this.#serve(visitor, posted, response, {});
    response.once('close', cancel);
  }

  #postLegacy(posted: Posted, request: IncomingMessage, response: ServerResponse): void {
    const version = request.headers['mcp-protocol-version'];
    if (typeof version === 'string' && !LEGACY_VERSIONS.includes(version.trim())) {
      throw notHere(400, `Unsupported protocol version: ${version}`);
    }
    if (posted.method === 'initialize' && posted.id !== undefined) {
      const sessionId = randomUUID();
      const visitor = this.#welcome();
      this.#sessions.set(sessionId, visitor);
      this.#serve(visitor, posted, response, { 'mcp-session-id': sessionId });
      return;
    }
    const { visitor } = this.#visitorOf(request);
    if (posted.id !== undefined && posted.method !== undefined) {
      this.#serve(visitor, posted, response, {});
      return;
    }
    visitor.session.receive(posted.bytes);
    accepted(response);
  }

  #openStream(request: IncomingMessage, response: ServerResponse): void {
    if (!request.headers.accept?.includes('text/event-stream'))
      throw notHere(406, 'Accept must name text/event-stream.');
    const { visitor, sessionId } = this.#visitorOf(request);
    if (visitor.standalone.open) throw notHere(409, 'This session has its stream already.');
    visitor.standalone.attach(response, { 'mcp-session-id': sessionId });
    this.#occupy(visitor, response);
  }

  async #end(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { visitor, sessionId } = this.#visitorOf(request);
    this.#sessions.delete(sessionId);
    await visitor.session.close();
    response.writeHead(200).end();
  }

  #serve(
    visitor: Visitor,
    posted: Posted,
    response: ServerResponse,
    headers: Record<string, string>,
  ): () => void {
    this.#occupy(visitor, response);
    return visitor.session.receive(posted.bytes, new ReplyOutlet(response, headers));
  }

  #welcome(): Visitor {
    const standalone = new StandaloneOutlet();
    return { session: this.#gateway.openSession(standalone), standalone, seen: Date.now(), open: 0 };
  }

  #visitorOf(request: IncomingMessage): { visitor: Visitor; sessionId: string } {
    const sessionId = request.headers['mcp-session-id'];
    if (typeof sessionId !== 'string') throw notHere(400, 'The Mcp-Session-Id header is missing.');
    const visitor = this.#sessions.get(sessionId);
    if (!visitor) throw new HttpError(404, new ProtocolError(-32001, 'Session not found'));
    return { visitor, sessionId };
  }

  /** A visitor with an open response is not idle. */
  #occupy(visitor: Visitor, response: ServerResponse): void {
    visitor.open++;
    response.once('close', () => {
      visitor.open--;
      visitor.seen = Date.now();
    });
  }

  #collect(): void {
    for (const visitors of [this.#sessions, this.#agents]) {
      for (const [key, { session, seen, open }] of visitors) {
        if (open > 0 || Date.now() - seen < this.#idleMs) continue;
        visitors.delete(key);
        void session.close();
      }
    }
  }
}

const notHere = (status: number, message: string) =>
  new HttpError(status, new ProtocolError(-32000, message));

function accepted(response: ServerResponse): void {
  response.writeHead(202).end();
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const status = error instanceof HttpError ? error.status : 500;
  const body = errorMessage(
    (error instanceof HttpError && error.id) || toJson(null),
    errorBytes(error instanceof HttpError ? error.error : error),
  );
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  // The rest of a refused body is not read.
  if (status === 413) headers.connection = 'close';
  response.writeHead(status, headers).end(body);
}
