import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { makeRoom, type Room } from '@agent-relay/platform/limits';
import { limitReached, RelayError } from '@agent-relay/protocol';
import { LEGACY_VERSIONS } from '../../backend/rpc/negotiate.ts';
import type { Gateway } from '../../gateway.ts';
import type { FrontSessionOptions } from '../session/context.ts';
import { ProtocolError } from '../session/messages.ts';
import type { FrontSession } from '../session/session.ts';
import { ReplyOutlet, StandaloneOutlet } from './outlets.ts';
import { HttpError, refusal, refuse } from './refusal.ts';
import { classify, type Posted, readBody } from './request.ts';

const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** Who makes a request, as established by the code that admitted it. */
export interface Visit extends FrontSessionOptions {
  /** Identifies the client. Other callers cannot use its sessions. */
  caller: string;
  /** The account its sessions count for. Default: one account for all. */
  account?: string;
  /** Called for each session kept for the client. `end` ends it; the returned function is called when it has ended. */
  begin?(end: () => Promise<void>): () => void;
}

export interface HttpHandlerOptions {
  /** Sessions unused for this long are ended: clients rarely say goodbye. Default: 30 minutes. */
  sessionIdleMs?: number;
  /** With more sessions than this, an idle one of the largest account is ended. Default: 1000. */
  maxSessions?: number;
  /** With more sessions of one account, one of its idle ones is ended, or it gets no more. Default: the same. */
  maxSessionsPerKey?: number;
}

/** State of a client between its requests. */
interface Visitor {
  /** The session id in the legacy era, the caller in the modern one. */
  key: string;
  caller: string;
  account: string;
  session: FrontSession;
  standalone: StandaloneOutlet;
  seen: number;
  /** Open responses. While there are any, the session is not idle. */
  readonly open: Set<ServerResponse>;
  /** Called when it has ended. */
  ended?: () => void;
}

/**
 * Serves the gateway over Streamable HTTP to admitted requests. Legacy clients have sessions; the modern era has none, so
 * there each caller gets one.
 */
export class HttpHandler {
  readonly #gateway: Gateway;
  readonly #idleMs: number;
  readonly #room: Room;
  /** Least recently used first. */
  readonly #visitors = new Map<string, Visitor>();
  readonly #sweep: NodeJS.Timeout;

  constructor(gateway: Gateway, options: HttpHandlerOptions = {}) {
    this.#gateway = gateway;
    this.#idleMs = options.sessionIdleMs ?? 30 * 60_000;
    const { maxSessions: most = 1000, maxSessionsPerKey: mostOfAccount = most } = options;
    this.#room = { most, mostOfAccount };
    this.#sweep = setInterval(() => this.#endIdle(), Math.min(this.#idleMs, 60_000));
    this.#sweep.unref();
  }

  async handle(request: IncomingMessage, response: ServerResponse, visit: Visit): Promise<void> {
    try {
      if (request.method === 'POST') await this.#post(request, response, visit);
      else if (request.method === 'GET') this.#openStream(request, response, visit);
      else if (request.method === 'DELETE') await this.#end(request, response, visit);
      else throw refusal(405, 'Method not allowed.');
    } catch (error) {
      refuse(response, error);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#visitors.values()].map((visitor) => this.#dismiss(visitor)));
  }

  async #post(request: IncomingMessage, response: ServerResponse, visit: Visit): Promise<void> {
    if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
      throw refusal(415, 'Content-Type must be application/json.');
    }
    const posted = classify(await readBody(request, MAX_BODY_BYTES), request.headers);
    if (posted.era === 'modern') this.#postModern(posted, response, visit);
    else this.#postLegacy(posted, request, response, visit);
  }

  #postModern(posted: Posted, response: ServerResponse, visit: Visit): void {
    // Clients cancel by closing the response. Other notifications have no meaning here.
    if (posted.id === undefined || posted.method === undefined) {
      accepted(response);
      return;
    }
    // Session ids contain no spaces, so the keys cannot collide.
    const key = `caller ${visit.caller}`;
    const visitor = this.#visitors.get(key) ?? this.#welcome(key, visit);
    const cancel = this.#serve(visitor, posted, response, {});
    response.once('close', cancel);
  }

  #postLegacy(posted: Posted, request: IncomingMessage, response: ServerResponse, visit: Visit): void {
    const version = request.headers['mcp-protocol-version'];
    if (typeof version === 'string' && !LEGACY_VERSIONS.includes(version.trim())) {
      throw refusal(400, `Unsupported protocol version: ${version}`);
    }
    if (posted.method === 'initialize' && posted.id !== undefined) {
      const sessionId = randomUUID();
      const visitor = this.#welcome(sessionId, visit);
      this.#serve(visitor, posted, response, { 'mcp-session-id': sessionId });
      return;
    }
    const { visitor } = this.#visitorOf(request, visit);
    if (posted.id !== undefined && posted.method !== undefined) {
      this.#serve(visitor, posted, response, {});
      return;
    }
    visitor.session.receive(posted.bytes);
    accepted(response);
  }

  #openStream(request: IncomingMessage, response: ServerResponse, visit: Visit): void {
    if (!request.headers.accept?.includes('text/event-stream'))
      throw refusal(406, 'Accept must name text/event-stream.');
    const { visitor, sessionId } = this.#visitorOf(request, visit);
    if (visitor.standalone.open) throw refusal(409, 'This session already has a stream.');
    visitor.standalone.attach(response, { 'mcp-session-id': sessionId });
    this.#occupy(visitor, response);
  }

  async #end(request: IncomingMessage, response: ServerResponse, visit: Visit): Promise<void> {
    await this.#dismiss(this.#visitorOf(request, visit).visitor);
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

  #welcome(key: string, { caller, account = '', begin, ...options }: Visit): Visitor {
    this.#makeRoomFor(account);
    const standalone = new StandaloneOutlet();
    const session = this.#gateway.openSession(standalone, options);
    const seen = performance.now();
    const visitor: Visitor = { key, caller, account, session, standalone, seen, open: new Set() };
    this.#visitors.set(key, visitor);
    const ended = begin?.(() => this.#dismiss(visitor));
    if (ended) visitor.ended = ended;
    return visitor;
  }

  /** The session a request names, if it belongs to the caller. For others it does not exist. */
  #visitorOf(request: IncomingMessage, { caller }: Visit): { visitor: Visitor; sessionId: string } {
    const sessionId = request.headers['mcp-session-id'];
    if (typeof sessionId !== 'string') throw refusal(400, 'The Mcp-Session-Id header is missing.');
    const visitor = sessionId.includes(' ') ? undefined : this.#visitors.get(sessionId);
    if (visitor?.caller !== caller) throw sessionNotFound();
    return { visitor, sessionId };
  }

  #occupy(visitor: Visitor, response: ServerResponse): void {
    visitor.open.add(response);
    response.once('close', () => {
      visitor.open.delete(response);
      visitor.seen = performance.now();
      if (this.#visitors.get(visitor.key) !== visitor) return;
      this.#visitors.delete(visitor.key);
      this.#visitors.set(visitor.key, visitor);
    });
  }

  #endIdle(): void {
    const limit = performance.now() - this.#idleMs;
    for (const visitor of [...this.#visitors.values()]) {
      if (visitor.open.size === 0 && visitor.seen <= limit) void this.#dismiss(visitor);
    }
  }

  /** Throws unless there is room for one more session of the account, or can be made. */
  #makeRoomFor(account: string): void {
    const present = [...this.#visitors.values()].map((visitor) => ({
      visitor,
      account: visitor.account,
      isIdle: visitor.open.size === 0,
    }));
    const { leaves, full } = makeRoom(present, account, this.#room);
    if (full === 'account') throw tooManySessions(this.#room.mostOfAccount);
    if (full === 'all') throw new RelayError('Overloaded', 'All sessions of the gateway are in use.');
    if (leaves) void this.#dismiss(leaves.visitor);
  }

  /** Ends a session and its open responses. */
  async #dismiss(visitor: Visitor): Promise<void> {
    if (this.#visitors.get(visitor.key) !== visitor) return;
    this.#visitors.delete(visitor.key);
    visitor.ended?.();
    const closed = visitor.session.close();
    for (const response of visitor.open) {
      if (response.headersSent) response.end();
      else refuse(response, sessionNotFound());
    }
    await closed;
  }
}

const tooManySessions = (most: number): RelayError =>
  limitReached(
    'mcp.maxSessionsPerKey',
    most,
    `One key can have ${most} sessions in use.`,
    'End a session you no longer need.',
  );

const sessionNotFound = () => new HttpError(404, new ProtocolError(-32001, 'Session not found'));

function accepted(response: ServerResponse): void {
  response.writeHead(202).end();
}
