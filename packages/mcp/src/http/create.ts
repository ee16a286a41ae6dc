import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Door, NO_PAGES, readBody, sendJson } from '@agent-relay/platform/http';
import { isRelayError, RelayError } from '@agent-relay/protocol';
import { classifyInboundRequest } from '@modelcontextprotocol/server';
import { accessId, admit } from './admission/access.ts';
import { type Caller, callerOf, Offerings } from './admission/caller.ts';
import { RateLimit } from './admission/rate-limit.ts';
import { ENOUGH_MS, OpenStreams } from './admission/session-limits.ts';
import { answerCors } from './cors.ts';
import { gatewayVisit } from './gateway.ts';
import { DEFAULT_PATHS, type McpHttpOptions } from './options.ts';
import { ClientContexts } from './participants/client-contexts.ts';
import { GatewaySessions } from './participants/gateway-sessions.ts';
import { Participants } from './participants/participants.ts';
import { HttpReplies } from './transports/replies.ts';
import { sendFailure, sendRpcError } from './transports/respond.ts';
import { HttpSessions } from './transports/sessions.ts';
import { SseSessions } from './transports/sse.ts';
import {
  type Exchange,
  SingleRequests,
  type StreamableSession,
  serveSession,
} from './transports/streamable.ts';
import { endIfUnread } from './transports/unread.ts';

const MEBIBYTE = 1024 * 1024;
/** The largest request that a gateway takes. */
const GATEWAY_BODY_BYTES = 16 * MEBIBYTE;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The MCP door of an HTTP server. */
export interface McpDoor extends Door {
  /** Ends all sessions and leaves the relay. */
  close(): Promise<void>;
}

/** MCP over HTTP: Streamable HTTP of every revision, the older SSE transport, and health. */
export const createMcpDoor = (options: McpHttpOptions): McpDoor =>
  createDoorWith(new Offerings(options), options);

/** The same for offerings other than the relay's. */
export function createDoorWith(offerings: Offerings, options: McpHttpOptions): McpDoor {
  const { onerror = console.error, maxBodyBytes = MEBIBYTE, roles = [] } = options;
  const { sessionIdleMs = 12 * HOUR_MS, requestsPerMinute = 6000 } = options;
  const { maxSessions = 1000, maxSessionsPerKey = 250, maxStreamsPerKey = 1000 } = options;
  const room = { most: maxSessions, mostOfAccount: maxSessionsPerKey };
  const { lingerMs = 5 * MINUTE_MS } = options;
  const paths = { ...DEFAULT_PATHS, ...options.paths };
  const startedAt = performance.now();
  const requests = new RateLimit(requestsPerMinute);
  const participants = new Participants(options.connect, { roles, lingerMs, onerror });
  const contexts = new ClientContexts(participants, onerror);
  const replies = new HttpReplies(onerror);
  const sessions = new HttpSessions<StreamableSession>({ idleMs: sessionIdleMs, room, onerror });
  const { maxRequestBytesPerKey = 128 * MEBIBYTE } = options;
  const streams = new OpenStreams({ requests: maxStreamsPerKey, bytes: maxRequestBytesPerKey });
  const gatewaySessions = new GatewaySessions(participants);
  const parts = { contexts, replies, sessions, gatewaySessions, onerror };
  const single = new SingleRequests(parts);
  const sse = new SseSessions({ contexts, messagesPath: paths.messages, room, onerror });

  const health = () => ({
    status: 'ok',
    clients: sessions.size + sse.size + gatewaySessions.size,
    uptime: (performance.now() - startedAt) / 1000,
  });

  /** Refusals to an account at its limit are delayed, so that a client in a loop does not keep the server busy. */
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await serveNow(request, response);
    } catch (error) {
      if (isRelayError(error, 'LimitReached') || isRelayError(error, 'Overloaded')) await delay(ENOUGH_MS);
      throw error;
    }
  }

  async function serveNow(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.split('?')[0] ?? '/';
    if (answerCors(request, response, options)) return;
    if (path === paths.health) return sendJson(response, 200, health());
    const access = await admit(request, options);
    if (!access) return sendJson(response, 401, { error: 'Unauthorized' }, { 'WWW-Authenticate': 'Bearer' });
    // The client may have disconnected meanwhile: waiting for the end of its request would then never finish.
    if (response.closed) return;
    requests.take(accessId(access));
    const caller = callerOf(request, access, options.accountOf);
    const isForGateway = path !== paths.messages && offerings.asksForGateway(request);
    const bytes = bodyBytes(request, isForGateway ? GATEWAY_BODY_BYTES : maxBodyBytes);
    response.once('close', streams.take(caller.account, bytes));
    if (isForGateway) return serveGateway(path, request, response, caller);
    const body: unknown =
      request.method === 'POST' ? JSON.parse(await readBody(request, maxBodyBytes)) : undefined;
    const exchange: Exchange = {
      request,
      response,
      body,
      caller,
      offering: () => offerings.chosenBy(request, access),
    };
    if (path === paths.mcp) {
      endIfUnread(response);
      return replies.serve(response, () => serveMcp(exchange));
    }
    if (path === paths.sse && request.method === 'GET') return sse.openStream(exchange);
    if (path === paths.messages && request.method === 'POST')
      return sse.receive(request, response, body, caller);
    response.setHeader('Allow', path === paths.sse ? 'GET' : 'POST');
    return sendRpcError(response, 405, -32000, 'Method not allowed.');
  }

  /** A gateway reads bodies itself and forwards them unchanged. */
  function serveGateway(
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
    caller: Caller,
  ): Promise<void> {
    const { gateway } = options;
    if (!gateway) {
      throw new RelayError('InvalidSettings', 'No MCP servers are configured for the toolset "gateway".', {
        next: 'Start the daemon with --mcp-servers FILE, or set RELAY_MCP_SERVERS_CONFIG.',
      });
    }
    if (path !== paths.mcp) {
      throw new RelayError(
        'InvalidRequest',
        'The toolset "gateway" is not available over the older HTTP transport.',
        {
          next: `Connect to ${paths.mcp}?tools=gateway over Streamable HTTP, or use stdio: agent-relay mcp --tools gateway`,
        },
      );
    }
    const offering = offerings.chosenBesideGateway(request, caller.access);
    const visit = gatewayVisit(caller, offering, parts);
    return replies.serve(response, () => gateway.handle(request, response, visit));
  }

  function serveMcp(exchange: Exchange): Promise<void> {
    const { method = 'GET', headers } = exchange.request;
    const { kind } = classifyInboundRequest({
      httpMethod: method,
      body: exchange.body,
      ...header('protocolVersionHeader', headers['mcp-protocol-version']),
      ...header('mcpMethodHeader', headers['mcp-method']),
      ...header('mcpNameHeader', headers['mcp-name']),
    });
    // The newer era refuses requests that belong to neither.
    return kind === 'legacy' ? serveSession(exchange, parts) : single.serve(exchange);
  }

  return {
    paths: Object.values(paths),
    contentSecurityPolicy: NO_PAGES,
    handle: serve,
    refuse(response, error) {
      if (response.headersSent) response.destroy();
      else if (isRelayError(error)) sendFailure(response, error);
      // The client disconnected, so nobody waits for an answer.
      else if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') response.destroy();
      else if (error instanceof SyntaxError) sendRpcError(response, 400, -32700, 'The body is not JSON.');
      else {
        onerror(error);
        sendRpcError(response, 500, -32603, 'Internal error');
      }
    },
    async close() {
      await sse.close();
      await sessions.close();
      await participants.close();
    },
  };
}

/** The maximum size of a request's body, which may not declare its length. */
function bodyBytes({ method, headers }: IncomingMessage, most: number): number {
  if (method !== 'POST') return 0;
  return Math.min(most, Number(headers['content-length'] ?? most));
}

const header = <Name extends string>(name: Name, value: string | string[] | undefined) =>
  (typeof value === 'string' ? { [name]: value } : {}) as { [K in Name]?: string };
