import { expect, it } from 'vitest';
import { type JsonMembers, objectFrom, toJson } from '../json/raw-json.ts';
import { ConnectedBackend } from './connected-backend.ts';
import { NotificationLimit } from './notification-limit.ts';
import type { OpenCustomChannel, TransportEvents } from './transports/transport.ts';

type Answer = { result: object } | { error: object } | undefined;

/** A server in this process. What it answers to a method can be changed at any time; undefined is silence. */
class LocalServer {
  readonly answers = new Map<string, Answer>([
    ['tools/list', { result: { tools: [{ name: 'one' }] } }],
    ['prompts/list', { result: { prompts: [{ name: 'hello' }] } }],
    ['ping', { result: {} }],
    [
      'initialize',
      {
        result: {
          protocolVersion: '2025-06-18',
          capabilities: { tools: { listChanged: true }, prompts: { listChanged: true } },
          serverInfo: { name: 'local', version: '1' },
        },
      },
    ],
  ]);
  #events: TransportEvents | undefined;

  readonly open: OpenCustomChannel = async (events) => {
    this.#events = events;
    return {
      send: (message) => {
        const { id, method } = objectFrom(message) as { id?: number; method: string };
        const answer = this.answers.get(method);
        if (id !== undefined && answer) this.#say({ id, ...answer });
      },
      close: async () => undefined,
    };
  };

  notify(method: string): void {
    this.#say({ method });
  }

  #say(message: object): void {
    const bytes = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    setImmediate(() => this.#events?.message(bytes));
  }
}

/** Connects to a server; `changed` resolves with the next change that the backend tells of. */
async function connect(server: LocalServer) {
  let next = Promise.withResolvers<void>();
  const backend = await ConnectedBackend.open(
    { kind: 'custom', open: server.open },
    {
      known: 'legacy',
      clientCapabilities: {},
      timeoutMs: 100,
      maxMessageBytes: 1_000_000,
      maxBacklogBytes: 1_000_000,
      signal: new AbortController().signal,
      limit: new NotificationLimit(1000, () => undefined),
      events: {
        changed: () => {
          next.resolve();
          next = Promise.withResolvers<void>();
        },
        closed: () => undefined,
        isWatched: () => false,
        resourceUpdated: () => undefined,
        log: () => undefined,
        ask: () => Promise.reject(new Error('nobody to ask')),
      },
    },
  );
  return { backend, changed: () => next.promise };
}

const failing: Answer = { error: { code: -32000, message: 'database is locked' } };
const noParams: JsonMembers = new Map();

it('keeps the problem of one list when another list is read', async () => {
  const server = new LocalServer();
  server.answers.set('tools/list', failing);
  const { backend, changed } = await connect(server);
  expect(backend.problem).toBe('database is locked');
  const refreshed = changed();
  server.notify('notifications/prompts/list_changed');
  await refreshed;
  expect(backend.problem).toBe('database is locked');
});

it('reads a failed list again, which clears its problem', async () => {
  const server = new LocalServer();
  const { backend, changed } = await connect(server);
  server.answers.set('tools/list', undefined);
  const failed = changed();
  server.notify('notifications/tools/list_changed');
  await failed;
  expect(backend.problem).toContain('no answer within');
  expect(backend.lists.tools).toEqual([{ name: 'one' }]);
  server.answers.set('tools/list', { result: { tools: [{ name: 'two' }] } });
  await backend.check(100);
  expect(backend.problem).toBeUndefined();
  expect(backend.lists.tools).toEqual([{ name: 'two' }]);
});

it('is not responding after a missed ping, until it answers anything', async () => {
  const server = new LocalServer();
  const { backend } = await connect(server);
  server.answers.set('ping', undefined);
  await backend.check(20);
  expect(backend.problem).toBe('does not answer pings');
  server.answers.set('tools/call', { result: { content: [] } });
  const answer = await backend.request('tools/call', noParams, { clientCapabilities: {} }, 100);
  expect(answer).toEqual(toJson({ content: [] }));
  expect(backend.problem).toBeUndefined();
});

it('accepts an error as the answer to a ping', async () => {
  const server = new LocalServer();
  const { backend } = await connect(server);
  server.answers.set('ping', { error: { code: -32601, message: 'Method not found' } });
  await backend.check(100);
  expect(backend.problem).toBeUndefined();
});
