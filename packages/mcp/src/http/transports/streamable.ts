import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, isInitializeRequest, isJSONRPCRequest } from '@modelcontextprotocol/server';
import { buildServer } from '../../server/build-server.ts';
import { followChanges } from '../../server/changes.ts';
import type { ClientContext, Offering } from '../../server/client-context.ts';
import { clientInfoOf } from '../../server/messages.ts';
import type { Caller } from '../admission/caller.ts';
import { ENOUGH_MS } from '../admission/session-limits.ts';
import type { ClientContexts } from '../participants/client-contexts.ts';
import type { Lease } from '../participants/participants.ts';
import { EventLog } from './event-log.ts';
import type { HttpReplies } from './replies.ts';
import { sendRpcError } from './respond.ts';
import type { HttpSession, HttpSessions } from './sessions.ts';

/** The SDK's type of a request, which differs in what may be undefined. */
type NodeRequest = Parameters<ReturnType<typeof toNodeHandler>>[0];

/** How long a client waits before it resumes a lost stream. */
const RETRY_MS = 500;

export interface StreamableSession extends HttpSession {
  serve(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void>;
}

/** A request: its client, its context, and its body, which has been read. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  body: unknown;
  caller: Caller;
  offering(): Offering;
}

interface Parts {
  contexts: ClientContexts;
  replies: HttpReplies;
  sessions: HttpSessions<StreamableSession>;
  onerror(error: unknown): void;
}

/** Serves the 2025 revisions of Streamable HTTP: a handshake opens a session, and every later request names it. */
export async function serveSession(exchange: Exchange, parts: Parts): Promise<void> {
  const { request, response, body, caller } = exchange;
  const id = request.headers['mcp-session-id'];
  if (typeof id === 'string') {
    const session = parts.sessions.use(id, caller.key, response);
    if (session) await session.serve(request, response, body);
    else sendRpcError(response, 404, -32001, 'Session not found');
  } else if (isInitializeRequest(body)) {
    const transport = await openSession(exchange, parts);
    await transport.handleRequest(request, response, body);
    // The handshake was refused: this session will never be used.
    if (transport.sessionId === undefined) await transport.close();
  } else {
    sendRpcError(response, 400, -32000, 'Bad Request: the header Mcp-Session-Id is required');
  }
}

async function openSession(
  { body, caller, offering }: Exchange,
  { contexts, replies, sessions }: Parts,
): Promise<NodeStreamableHTTPServerTransport> {
  const id = randomUUID();
  const offered = offering();
  const hasEnough = sessions.makeRoomFor(caller.account);
  const { context, lease } = contexts.session(caller, id, offered, replies);
  context.participant.introduce(clientInfoOf(body));
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: () => id,
    eventStore: new EventLog(replies.afterCurrent),
    retryInterval: RETRY_MS,
  });
  const session: StreamableSession = {
    owner: caller.key,
    account: caller.account,
    serve: (request, response, message) => {
      // A handshake alone does not connect to the relay; the first request does.
      if (isJSONRPCRequest(message)) context.participant.start();
      else context.participant.stay();
      return transport.handleRequest(request, response, message);
    },
    unused: () => lease.unused(),
    close: () => transport.close(),
  };
  // Before the handshake ends, so that concurrent ones see it counted.
  sessions.add(id, session);
  await buildServer(context, { era: 'legacy', lasting: true }).connect(transport);
  const stop = lease.onclose(() => transport.close());
  const closed = transport.onclose;
  transport.onclose = () => {
    sessions.forget(id);
    stop();
    lease.release();
    closed?.();
  };
  if (hasEnough) await delay(ENOUGH_MS);
  return transport;
}

/** Serves revision 2026-07-28, where requests have no session. */
export class SingleRequests {
  readonly #parts: Parts;
  /** One handler, with its open streams, for each participant and choice of toolsets. */
  readonly #handlers = new Map<string, ReturnType<typeof toNodeHandler>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async serve(exchange: Exchange): Promise<void> {
    const { request, response, body, caller } = exchange;
    const offering = exchange.offering();
    const { context, lease } = this.#parts.contexts.shared(caller, offering, this.#parts.replies);
    response.once('close', () => lease.release());
    context.participant.introduce(clientInfoOf(body));
    if (caller.isNamed) context.participant.start();
    const key = `${caller.key} ${offering.tools.toolsets.map(({ name }) => name).join(',')}`;
    const handler = this.#handlers.get(key) ?? this.#open(key, context, lease);
    await handler(request as NodeRequest, response, body);
  }

  #open(key: string, context: ClientContext, lease: Lease): ReturnType<typeof toNodeHandler> {
    const handler = createMcpHandler(() => buildServer(context, { era: 'modern', lasting: false }), {
      legacy: 'reject',
      onerror: this.#parts.onerror,
    });
    const stop = followChanges(context, (uri) => handler.notify.resourceUpdated(uri));
    lease.onclose(async () => {
      this.#handlers.delete(key);
      stop();
      await handler.close();
    });
    const serve = toNodeHandler(handler);
    this.#handlers.set(key, serve);
    return serve;
  }
}
