import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Door, NO_PAGES, readJson, sendJson } from '@agent-relay/platform/http';
import type { AgentOffer, McpServerStatus } from '@agent-relay/protocol';
import { dateOf, ERRORS, isAgentToken, isPageSession, isRelayError, RelayError } from '@agent-relay/protocol';
import { type Relay as Client, connect, type ParticipantOptions } from '@agent-relay/sdk';
import { z } from 'zod';
import { MAX_PAGE_BYTES } from '../../core/ports/store/messages.ts';
import type { AcceptConnection } from '../../transport/connections/connection.ts';
import { connectInMemory } from '../../transport/connections/memory.ts';
import { VERSION } from '../../version.ts';

interface Parts {
  accept: AcceptConnection;
  /** The MCP servers of the daemon, each with its tools. */
  servers(): Array<Omit<McpServerStatus, 'tools'> & { tools: object[] }>;
}

const callRequest = z
  .object({
    server: z.string().min(1).max(256),
    tool: z.string().min(1).max(256),
    arguments: z.record(z.string(), z.unknown()).default({}),
    timeoutMs: z.int().min(1).max(600_000).optional(),
  })
  .strict();

type Answer<T> = (client: Client, gone: AbortSignal, query: URLSearchParams, isOwner: boolean) => Promise<T>;
type Checked<T> = (client: Client, gone: AbortSignal) => Promise<T>;

/**
 * What agents can do, for plain HTTP clients. Each request is served through an ordinary SDK client, with the workspace key,
 * agent token or page session of the request.
 */
export function restDoors(parts: Parts): Door[] {
  const get = (path: string, answer: Answer<object>): Door => ({
    paths: [path],
    contentSecurityPolicy: NO_PAGES,
    handle: async (request, response) => {
      const checked: Checked<object> = (client, gone) => {
        if (request.method !== 'GET') throw new RelayError('InvalidRequest', 'Use GET for this address.');
        const [, query = ''] = request.url?.split('?') ?? [];
        // Only the owner can sign in to the dashboard.
        const isOwner = credentialIn(request).page !== undefined;
        return answer(client, gone, new URLSearchParams(query), isOwner);
      };
      sendJson(response, 200, await asBearer(parts, request, response, checked), NO_STORE);
    },
  });
  return [
    get('/api/mcp/capabilities', (client, _gone, query) => capabilitiesOf(client, query.get('cursor') ?? '')),
    get('/api/mcp/capabilities/summary', (client) => summaryOf(client)),
    get('/api/mcp/servers', async (_client, _gone, _query, isOwner) => ({
      servers: isOwner ? parts.servers() : parts.servers().map(withoutError),
    })),
    {
      paths: ['/api/mcp/call'],
      contentSecurityPolicy: NO_PAGES,
      async handle(request, response) {
        try {
          // A wrong credential is reported before any other error.
          const result = await asBearer(parts, request, response, async (client, signal) => {
            const { server, tool, arguments: args, timeoutMs } = await readJson(request, callRequest);
            return await client.call(`${server}.${tool}`, args, {
              ...(timeoutMs === undefined ? {} : { timeoutMs }),
              signal,
            });
          });
          sendJson(response, 200, { success: true, result }, NO_STORE);
        } catch (error) {
          if (!isRelayError(error)) throw error;
          sendCallFailure(response, error);
        }
      },
    },
  ];
}

/** An error may name addresses, programs and files of the owner. Who may call a server needs its tools only. */
const withoutError = <One extends { error?: unknown }>({ error: _, ...server }: One) => server;

const NO_STORE = { 'Cache-Control': 'no-store' };

/** Answers with a client that uses the credential of the request; it is closed with the request. */
async function asBearer<T>(
  { accept }: Parts,
  request: IncomingMessage,
  response: ServerResponse,
  answer: Checked<T>,
): Promise<T> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  await using client = await connect({
    ...credentialIn(request),
    client: { name: 'rest', version: VERSION },
    open: async (events) => connectInMemory(accept, events),
    reconnect: false,
  });
  return await answer(client, gone.signal);
}

/** The credential of a request, which is required. */
function credentialIn(request: IncomingMessage): Pick<ParticipantOptions, 'token' | 'page' | 'workspaceKey'> {
  const secret = secretIn(request);
  if (isAgentToken(secret)) return { token: secret };
  if (isPageSession(secret)) return { page: { session: secret } };
  return { workspaceKey: secret };
}

function secretIn({ headers: { authorization = '' } }: IncomingMessage): string {
  const [, secret] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
  if (secret !== undefined) return secret;
  throw new RelayError(
    'Unauthorized',
    'A workspace key, an agent token or a page session is required here.',
    {
      next: 'Send it as: Authorization: Bearer …',
    },
  );
}

/** Agents by name, after the one of the cursor: as many as fit in one answer, however much each of them offers. */
async function capabilitiesOf(client: Client, cursor: string): Promise<object> {
  const offers = (await client.discover()).filter(({ name }) => name > cursor);
  const capabilities: Array<{ agentName: string }> = [];
  let bytes = 0;
  for (const offer of offers.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const described = await describe(client, offer);
    bytes += Buffer.byteLength(JSON.stringify(described));
    const last = capabilities.at(-1);
    if (last && bytes > MAX_PAGE_BYTES) return { capabilities, next: last.agentName };
    capabilities.push(described);
  }
  return { capabilities };
}

async function describe(client: Client, offer: AgentOffer) {
  const { name, capabilities, descriptions, tools, updatedAt } = offer;
  return {
    agentName: name,
    capabilities: capabilities.map((category) => ({ category, description: descriptions?.[category] ?? '' })),
    tools: tools.length === 0 ? [] : await client.tools(name),
    updatedAt: dateOf(updatedAt).toISOString(),
  };
}

/** Who has each capability, and how each of them describes it. */
async function summaryOf(client: Client): Promise<object> {
  const summary = new Map<string, string[]>();
  const descriptions = new Map<string, Record<string, string>>();
  for (const offer of await client.discover())
    for (const category of offer.capabilities) {
      summary.set(category, [...(summary.get(category) ?? []), offer.name]);
      const description = offer.descriptions?.[category];
      if (description !== undefined)
        descriptions.set(category, { ...descriptions.get(category), [offer.name]: description });
    }
  return { summary: Object.fromEntries(summary), descriptions: Object.fromEntries(descriptions) };
}

/** A failed call is answered in the format of a result. */
function sendCallFailure(response: ServerResponse, { code, message, next }: RelayError): void {
  const { http } = ERRORS[code];
  const headers = http === 401 ? { ...NO_STORE, 'WWW-Authenticate': 'Bearer' } : NO_STORE;
  sendJson(response, http, { success: false, error: message, code, next }, headers);
}
