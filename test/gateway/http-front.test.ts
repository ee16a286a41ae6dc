import { once } from 'node:events';
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type GatewayOptions,
  type HttpFrontOptions,
  HttpHandler,
  serveGatewayHttp,
} from '@agent-relay/gateway';
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, expect, test, vi } from 'vitest';
import { eventually } from '../kit/eventually.ts';
import { GatewayKit, progressOf, scripted, textOf, tool } from './kit/gateway-kit.ts';
import { SDK_SERVER } from './kit/sdk-server.ts';

afterEach(() => vi.useRealTimers());

const MODERN = { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const;
const sdkServer = (era: string, settings = {}) => ({
  name: era,
  command: process.execPath,
  args: [SDK_SERVER, era],
  prefix: true,
  ...settings,
});

/** A gateway on HTTP, and everything to talk to it. */
async function start(
  backends: unknown[],
  options: HttpFrontOptions = {},
  gatewayOptions: Partial<GatewayOptions> = {},
) {
  const kit = await GatewayKit.start(backends, gatewayOptions);
  const front = await serveGatewayHttp(kit.gateway, options);
  const clients: Client[] = [];
  return {
    kit,
    url: front.url,
    async client(clientOptions: ClientOptions = {}, headers: Record<string, string> = {}) {
      const client = new Client({ name: 'test', version: '1' }, clientOptions);
      const transport = new StreamableHTTPClientTransport(new URL(front.url), { requestInit: { headers } });
      await client.connect(transport);
      clients.push(client);
      return client;
    },
    async post(body: unknown, headers: Record<string, string> = {}) {
      const response = await fetch(front.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: text === '' ? undefined : JSON.parse(text),
      };
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client.close();
      await front.close();
      await kit[Symbol.asyncDispose]();
    },
  };
}

test.each([
  ['2025', {}],
  ['2026', MODERN],
])('serves a client of %s: tools, progress, questions, list_changed, cancelling', async (_era, era) => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'relay-front-'));
  const journal = join(temporary.path, 'journal');
  await using gateway = await start([
    sdkServer('modern'),
    sdkServer('legacy', { scope: 'session' }),
    scripted('s', {
      tools: [tool('hang'), tool('echo'), tool('change')],
      changedTools: [tool('new_one')],
      journal,
    }),
  ]);
  const client = await gateway.client({ capabilities: { elicitation: { form: {} } }, ...era });
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Bob' } }));
  expect((await client.listTools()).tools.length).toBeGreaterThan(10);
  expect(textOf(await client.callTool({ name: 'echo', arguments: { a: 'ü' } }))).toBe('echo {"a":"ü"}');
  expect(await progressOf(client, { name: 'modern_steps', arguments: { count: 3 } })).toEqual([1, 2, 3]);
  expect(textOf(await client.callTool({ name: 'modern_ask', arguments: {} }))).toBe('You are Bob');
  expect(textOf(await client.callTool({ name: 'legacy_push_ask', arguments: {} }))).toBe(
    'accept {"name":"Bob"}',
  );

  const stop = new AbortController();
  const hanging = client.callTool({ name: 'hang', arguments: {} }, { signal: stop.signal });
  await eventually(async () => (await readFile(journal, 'utf8')).includes('call hang {}'));
  stop.abort();
  await expect(hanging).rejects.toThrow('aborted');

  let told = 0;
  client.setNotificationHandler('notifications/tools/list_changed', () => void told++);
  if ('versionNegotiation' in era) await client.listen({ toolsListChanged: true });
  await client.callTool({ name: 'change', arguments: {} });
  await eventually(() => told > 0);
});

test('gives clients of the newest revision their own backends', async () => {
  await using gateway = await start([sdkServer('legacy', { scope: 'session' })]);
  const count = async (agent: string) => {
    const client = await gateway.client(MODERN, { 'x-relay-agent': agent });
    return textOf(await client.callTool({ name: 'legacy_count', arguments: {} }));
  };
  expect([await count('Ann'), await count('Ann'), await count('Bob')]).toEqual(['1', '2', '1']);
});

test('requires the key if one is set, and never logs it or passes it on', async () => {
  await using gateway = await start([scripted('s', { tools: [tool('echo'), tool('environment')] })], {
    apiKey: 'canary-key',
  });
  expect((await gateway.post({})).status).toBe(401);
  expect((await gateway.post({}, { authorization: 'Bearer wrong' })).status).toBe(401);
  const client = await gateway.client({}, { authorization: 'Bearer canary-key' });
  expect(textOf(await client.callTool({ name: 'echo', arguments: {} }))).toBe('echo {}');
  expect(textOf(await client.callTool({ name: 'environment', arguments: {} }))).not.toContain('canary');
  expect(gateway.kit.logs.join()).not.toContain('canary');
});

test('refuses web pages: foreign Host and Origin', async () => {
  await using gateway = await start([]);
  expect((await gateway.post({}, { origin: 'https://evil.example' })).status).toBe(403);
  expect((await gateway.post({}, { origin: 'null' })).status).toBe(403);
  // Another server of this machine, such as one that a project is developed with, is as foreign as any.
  for (const host of ['localhost', '127.0.0.1', '[::1]'])
    for (const origin of [`http://${host}`, `http://${host}:5173`, `https://${host}:5173`])
      expect((await gateway.post({}, { origin })).status, origin).toBe(403);
  const { request } = await import('node:http');
  const status = await new Promise((resolve) => {
    request(gateway.url, { method: 'POST', headers: { host: 'evil.example' } }, (response) =>
      resolve(response.statusCode),
    ).end();
  });
  expect(status).toBe(403);
});

test('without a key, serves only programs of its own user', async () => {
  await using gateway = await start([]);
  expect((await gateway.post({})).status).toBe(400);
  expect((await gateway.post({}, { 'sec-fetch-site': 'same-origin' })).status).toBe(401);
  expect((await gateway.post({}, { authorization: 'Bearer guess' })).status).toBe(401);
});

test('does not listen beyond this machine without a key', async () => {
  await using kit = await GatewayKit.start([]);
  await expect(serveGatewayHttp(kit.gateway, { host: '0.0.0.0' })).rejects.toMatchObject({
    code: 'InvalidSettings',
  });
});

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const modernHeaders = (method: string, name?: string) => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(name === undefined ? {} : { 'mcp-name': name }),
});
const call = (method: string, params: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: { ...params, _meta: META },
});

test('reports a port that is taken, and an address that is not of this machine', async () => {
  await using gateway = await start([]);
  const port = Number(new URL(gateway.url).port);
  const listen = (options: HttpFrontOptions) =>
    serveGatewayHttp(gateway.kit.gateway, { apiKey: 'k', ...options });
  await expect(listen({ port, choosePort: '--http PORT' })).rejects.toMatchObject({
    code: 'PortInUse',
    next: `Choose another port with --http PORT, or stop that program: kill ${process.pid}`,
  });
  await expect(listen({ host: 'nowhere.invalid' })).rejects.toMatchObject({ code: 'InvalidSettings' });
});

test('requires that headers and body of the newest revision agree', async () => {
  await using gateway = await start([scripted('s', { tools: [tool('echo')] })]);
  const ok = await gateway.post(
    call('tools/call', { name: 'echo', arguments: {} }),
    modernHeaders('tools/call', 'echo'),
  );
  expect(ok).toMatchObject({ status: 200, body: { id: 1, result: { resultType: 'complete' } } });
  const refusals: Array<[object, Record<string, string>, number, number]> = [
    [call('tools/list'), modernHeaders('tools/call'), 400, -32020],
    [call('tools/call', { name: 'echo' }), modernHeaders('tools/call', 'other'), 400, -32020],
    [call('tools/list'), { 'mcp-method': 'tools/list' }, 400, -32020],
    [{ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }, modernHeaders('tools/list'), 400, -32602],
    [call('nope/method'), modernHeaders('nope/method'), 404, -32601],
    [call('ping'), modernHeaders('ping'), 404, -32601],
  ];
  for (const [body, headers, status, code] of refusals) {
    expect(await gateway.post(body, headers), JSON.stringify(body)).toMatchObject({
      status,
      body: { error: { code } },
    });
  }
  const future = { ...META, 'io.modelcontextprotocol/protocolVersion': '2031-01-01' };
  const asked = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: future } };
  expect(
    await gateway.post(asked, { ...modernHeaders('tools/list'), 'mcp-protocol-version': '2031-01-01' }),
  ).toMatchObject({
    status: 400,
    body: { error: { code: -32022, data: { supported: ['2026-07-28'] } } },
  });
});

test('ends idle sessions of older revisions, with 404 for unknown and 400 for missing ones', async () => {
  await using gateway = await start([], { sessionIdleMs: 300 });
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  };
  const opened = await gateway.post(initialize);
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
  expect(opened.body.result.protocolVersion).toBe('2025-06-18');
  expect(await gateway.post(ping, session)).toMatchObject({ status: 200, body: { id: 2, result: {} } });
  expect((await gateway.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session)).status).toBe(
    202,
  );
  expect((await gateway.post(ping)).status).toBe(400);
  expect((await gateway.post(ping, { 'mcp-session-id': 'nope' })).status).toBe(404);
  expect((await gateway.post(ping, { ...session, 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
  expect((await fetch(gateway.url, { method: 'DELETE', headers: session })).status).toBe(200);
  expect((await gateway.post(ping, session)).status).toBe(404);

  const again = { 'mcp-session-id': (await gateway.post(initialize)).headers.get('mcp-session-id') ?? '' };
  vi.useFakeTimers({ toFake: ['Date'] });
  const look = async () => {
    const { status } = await gateway.post(ping, again);
    // Setting the clock back after each use does not keep it.
    await gateway.post(ping);
    vi.setSystemTime(Date.now() - 3_600_000);
    return status;
  };
  // Looked at less often than it may be idle: each look is a use of it.
  await expect.poll(look, { interval: 700 }).toBe(404);
});

test('ends the session that was idle for longest when there are too many', async () => {
  await using gateway = await start([], { maxSessions: 2 });
  const open = async () => {
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    };
    const { headers } = await gateway.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    return { 'mcp-session-id': headers.get('mcp-session-id') ?? '' };
  };
  const ping = async (session: Record<string, string>) =>
    (await gateway.post({ jsonrpc: '2.0', id: 2, method: 'ping' }, session)).status;
  const [first, second] = [await open(), await open()];
  expect(await ping(second)).toBe(200);
  expect(await ping(first)).toBe(200);
  const third = await open();
  expect([await ping(first), await ping(second), await ping(third)]).toEqual([200, 404, 200]);
});

test.each([
  ['not json', 400, -32700],
  ['[]', 400, -32600],
  ['{"jsonrpc":"2.0"}', 400, -32600],
  [`{"jsonrpc":"2.0","id":1,"method":"ping","params":${'['.repeat(5000)}${']'.repeat(5000)}}`, 400, -32600],
])('refuses an invalid body: %.20s', async (body, status, code) => {
  await using gateway = await start([]);
  expect(await gateway.post(body)).toMatchObject({ status, body: { error: { code } } });
});

test('refuses a body over the limit, another type, another path and another method', async () => {
  await using gateway = await start([]);
  expect((await gateway.post('{"a":"'.padEnd(17 * 1024 * 1024, 'x'))).status).toBe(413);
  expect((await gateway.post('{}', { 'content-type': 'text/plain' })).status).toBe(415);
  expect((await fetch(new URL('/other', gateway.url))).status).toBe(404);
  expect((await fetch(gateway.url, { method: 'PUT' })).status).toBe(405);
});

test.each([
  [undefined, 'the key', false],
  ['everyone', 'the key', true],
  ['nobody', 'the key', false],
  [undefined, 'the own user', true],
  ['nobody', 'the own user', false],
] as const)('with manageServers %s, %s may manage: %s', async (manageServers, who, may) => {
  const key = who === 'the key' ? 'the-key-of-the-gateway' : undefined;
  const backends = [scripted('one', { tools: [tool('echo')] })];
  await using gateway = await start(backends, { apiKey: key }, { manageServers });
  for (const era of [{}, MODERN]) {
    const client = await gateway.client(era, key === undefined ? {} : { authorization: `Bearer ${key}` });
    for (const [name, args] of [
      ['relay_add_server', { name: 'new', url: 'ws://127.0.0.1:1' }],
      ['relay_reconnect_server', { name: 'one' }],
      ['relay_remove_server', { name: 'new' }],
    ] as const) {
      const { isError = false, structuredContent } = await client.callTool({ name, arguments: args });
      expect([isError, structuredContent], name).toEqual(
        may ? [false, undefined] : [true, { error: expect.objectContaining({ code: 'Forbidden' }) }],
      );
    }
  }
});

test('does not end sessions of other clients when one opens too many', async () => {
  await using kit = await GatewayKit.start([]);
  const handler = new HttpHandler(kit.gateway, { maxSessions: 6, maxSessionsPerKey: 3 });
  const server = createServer((request, response) => {
    const account = String(request.headers['x-account']);
    void handler.handle(request, response, { caller: account, account });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = (account: string, method: string, session?: string | null) =>
    fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-account': account,
        ...(session ? { 'mcp-session-id': session } : {}),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: INITIALIZE }),
    });
  const open = async (account: string) => {
    const response = await ask(account, 'initialize');
    await response.text();
    return response.headers.get('mcp-session-id');
  };
  try {
    const kept = await open('other');
    for (let i = 0; i < 20; i++) expect(await open('flooder')).not.toBeNull();
    expect((await ask('other', 'ping', kept)).status).toBe(200);
  } finally {
    await handler.close();
    server.closeAllConnections();
    server.close();
  }
});

const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'x', version: '1' },
};
