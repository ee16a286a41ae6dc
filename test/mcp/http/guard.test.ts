import { request } from 'node:http';
import { hostname, networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { callTool, connectClient } from '../kit/clients.ts';
import { headersOf, httpTransport, openDoor, sseTransport } from '../kit/http-door.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

/** A request with exactly these headers; `fetch` does not let one choose Host and Origin. */
function ask(
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
) {
  const { method = 'GET', headers = {}, body } = options;
  return new Promise<Answer>((resolve, reject) => {
    const outgoing = request(url, { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});
const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  ask(url, {
    method: 'POST',
    body,
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
  });

describe('access', () => {
  it('answers 401 without the configured key, or with a wrong one, also to the user', async () => {
    await using door = await openDoor(daemon, { apiKey: 'secret' });
    for (const path of ['', '/sse', '/messages']) {
      const refused = await ask(`${door.url}${path}`);
      expect(refused).toMatchObject({ status: 401, body: '{"error":"Unauthorized"}' });
      expect(refused.headers['www-authenticate']).toBe('Bearer');
    }
    expect(await post(door.url, initialize, headersOf({ key: 'wrong' }))).toMatchObject({ status: 401 });
    expect(await post(door.url, initialize, headersOf({ key: 'secret' }))).toMatchObject({ status: 200 });
  });

  it('shows its health to everybody, and answers 404 for other paths', async () => {
    await using door = await openDoor(daemon, { apiKey: 'secret' });
    await using _client = await openDoor(daemon);
    const { status, body } = await ask(`${door.url}/health`);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({ status: 'ok', clients: 0, uptime: expect.any(Number) });
    const root = new URL(door.url).origin;
    for (const path of ['/register', '/.well-known/oauth-protected-resource', '/']) {
      expect(await ask(`${root}${path}`)).toMatchObject({ status: 404, body: '{"error":"Not found"}' });
    }
  });

  it('counts its clients', async () => {
    await using door = await openDoor(daemon);
    const clients = async () => JSON.parse((await ask(`${door.url}/health`)).body).clients;
    await using _session = await connectClient(httpTransport(door));
    await using stream = await connectClient(sseTransport(`${door.url}/sse`));
    expect(await clients()).toBe(2);
    await stream.close();
    await expect.poll(clients).toBe(1);
  });

  it('refuses foreign hosts and web pages, on every route', async () => {
    await using door = await openDoor(daemon, { allowedOrigins: ['https://app.example'] });
    for (const path of ['', '/sse', '/messages', '/health']) {
      const url = `${door.url}${path}`;
      const host = await ask(url, { headers: { Host: 'evil.example' } });
      expect(host).toMatchObject({
        status: 403,
        body: expect.stringContaining('add it to mcp.allowedHosts in the settings'),
      });
      const page = await ask(url, { headers: { Origin: 'https://evil.example' } });
      expect(page).toMatchObject({
        status: 403,
        body: expect.stringContaining('add it to mcp.allowedOrigins in the settings'),
      });
      for (const Origin of ['null', 'http://localhost:5173'])
        expect((await ask(url, { headers: { Origin } })).status).toBe(403);
    }
    const health = `${door.url}/health`;
    expect((await ask(health, { headers: { Origin: 'https://app.example' } })).status).toBe(200);
    expect((await ask(health, { headers: { Origin: new URL(door.url).origin } })).status).toBe(200);
  });

  it('lets only allowed pages read answers', async () => {
    const origin = 'https://app.example';
    const preflight = {
      method: 'OPTIONS',
      headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
    };
    await using silent = await openDoor(daemon, { allowedOrigins: [origin] });
    expect((await ask(silent.url, preflight)).headers).not.toHaveProperty('access-control-allow-origin');
    await using open = await openDoor(daemon, { allowedOrigins: [origin], cors: true });
    const answer = await ask(open.url, preflight);
    expect(answer.status).toBe(204);
    expect(answer.headers['access-control-allow-origin']).toBe(origin);
  });

  it('accepts only the addresses in its list', async () => {
    await using elsewhere = await openDoor(daemon, { ipAllowlist: ['10.0.0.0/8'] });
    const refused = await ask(`${elsewhere.url}/health`);
    expect(refused).toMatchObject({
      status: 403,
      body: expect.stringContaining('add it to mcp.ipAllowlist in the settings'),
    });
    await using here = await openDoor(daemon, { ipAllowlist: ['10.0.0.0/8', '127.0.0.1'] });
    expect((await ask(`${here.url}/health`)).status).toBe(200);
    await expect(openDoor(daemon, { ipAllowlist: ['everyone'] })).rejects.toThrow('neither an address');
  });

  it('does not listen beyond this machine without a key', async () => {
    await expect(openDoor(daemon, { host: '0.0.0.0' })).rejects.toMatchObject({
      code: 'InvalidSettings',
      next: 'Set RELAY_MCP_API_KEY, or listen on 127.0.0.1.',
    });
    await using open = await openDoor(daemon, { host: '0.0.0.0', apiKey: 'secret' });
    expect((await ask(`http://127.0.0.1:${open.port}/mcp/health`)).status).toBe(200);
  });

  it('accepts the names and addresses of this machine if it listens on all of them', async () => {
    const own = Object.values(networkInterfaces()).flatMap((addresses = []) =>
      addresses.map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address)),
    );
    const options = { apiKey: 'secret', allowedHosts: ['relay.example'] };
    await using everywhere = await openDoor(daemon, { host: '0.0.0.0', ...options });
    await using here = await openDoor(daemon, options);
    const status = async ({ port }: { port: number }, Host: string) =>
      (await ask(`http://127.0.0.1:${port}/mcp/health`, { headers: { Host } })).status;
    for (const host of [...own, hostname().toUpperCase(), 'relay.example', 'RELAY.example:443'])
      expect(await status(everywhere, host), host).toBe(200);
    for (const host of ['evil.example', '192.0.2.1', `${hostname()}.evil.example`])
      expect(await status(everywhere, host), host).toBe(403);
    expect(await status(here, `${hostname()}.lan`)).toBe(403);
    expect(await status(here, '192.0.2.1')).toBe(403);
  });

  it('reports that the port is in use', async () => {
    await using door = await openDoor(daemon);
    const options = { port: door.port, choosePort: '--mcp-http PORT' };
    await expect(openDoor(daemon, options)).rejects.toMatchObject({
      code: 'PortInUse',
      message: expect.stringContaining(`process ${process.pid} (`),
      next: `Choose another port with --mcp-http PORT, or stop that program: kill ${process.pid}`,
    });
  });
});

describe('limits', () => {
  it('limits the size of bodies, and refuses invalid JSON and invalid messages', async () => {
    await using door = await openDoor(daemon, { maxBodyBytes: 10_000 });
    expect((await post(door.url, JSON.stringify({ x: 'y'.repeat(20_000) }))).status).toBe(413);
    const broken = await post(door.url, '{"jsonrpc":');
    expect(broken.status).toBe(400);
    expect(JSON.parse(broken.body)).toMatchObject({ jsonrpc: '2.0', error: { code: -32700 } });
    expect((await post(door.url, '{"hello":1}')).status).toBe(400);
    expect((await post(door.url, initialize)).status).toBe(200);
  });

  it('limits the rate of requests, and says when to retry', async () => {
    await using door = await openDoor(daemon, { requestsPerMinute: 5 });
    const answers = [];
    for (let i = 0; i < 7; i++) answers.push(await post(door.url, initialize));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429]);
    expect(Number(answers.at(-1)?.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('serves only the toolsets that the key allows', async () => {
    await using door = await openDoor(daemon, { apiKey: 'k', toolsetsFor: () => ['relay', 'network'] });
    await using client = await connectClient(httpTransport(door, { key: 'k', tools: 'relay' }));
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    const refused = await post(`${door.url}?tools=workspace`, initialize, headersOf({ key: 'k' }));
    expect(refused.status).toBe(403);
    await using open = await openDoor(daemon);
    expect((await post(`${open.url}?tools=nope`, initialize)).status).toBe(400);
    // Nobody may declare whom they speak for, unless the door was opened for that.
    expect((await post(`${open.url}?tools=roles`, initialize)).status).toBe(400);
  });

  it('binds a session to the key and name that opened it', async () => {
    await using door = await openDoor(daemon, { apiKey: 'k' });
    const opened = await post(door.url, initialize, headersOf({ key: 'k', agent: 'Alice' }));
    const session = { 'Mcp-Session-Id': String(opened.headers['mcp-session-id']) };
    const list = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    const ask = (options: Parameters<typeof headersOf>[0]) =>
      post(door.url, list, { ...session, ...headersOf(options) }).then(({ status }) => status);
    expect(await ask({ key: 'k', agent: 'Alice' })).toBe(200);
    expect(await ask({ key: 'k', agent: 'Mallory' })).toBe(404);
    expect(await ask({ agent: 'Alice' })).toBe(401);
    expect(await post(door.url, list, headersOf({ key: 'k' }))).toMatchObject({ status: 400 });
    const unknown = { 'Mcp-Session-Id': 'unknown', ...headersOf({ key: 'k' }) };
    expect(await post(door.url, list, unknown)).toMatchObject({ status: 404 });
  });

  it('ends abandoned sessions', async () => {
    await using door = await openDoor(daemon, { sessionIdleMs: 50, maxSessions: 3 });
    const clients = async () => JSON.parse((await ask(`${door.url}/health`)).body).clients;
    for (let i = 0; i < 5; i++) await post(door.url, initialize);
    expect(await clients()).toBeLessThanOrEqual(3);
    await expect.poll(clients).toBe(0);
    // A client that needs no session, which might be ended again before its next request.
    await using client = await connectClient(httpTransport(door, { tools: 'relay' }), { era: '2026-07-28' });
    expect((await callTool(client, 'relay_status')).isError).toBe(false);
  });
});

it('ends the streams of a key that is revoked', async () => {
  await using door = await openDoor(daemon, { apiKey: 'secret' });
  const owner = { cwd: daemon.projectDirectory };
  const created = await daemon.cli(['workspace', 'create', 'revoked', '--json'], owner);
  const { key, keyId } = JSON.parse(created.stdout);
  await using client = await connectClient(
    sseTransport(`${door.url}/sse`, { key, agent: 'Bob', tools: 'relay' }),
  );
  expect((await callTool(client, 'relay_status')).data).toMatchObject({ project: 'revoked' });
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve;
    client.onerror = () => resolve();
  });
  await daemon.cli(['workspace', 'key', 'revoke', keyId, '--project', 'revoked'], owner);
  await closed;
  await expect.poll(async () => JSON.parse((await ask(`${door.url}/health`)).body).clients).toBe(0);
  expect((await ask(`${door.url}/sse`, { headers: headersOf({ key, agent: 'Bob' }) })).status).toBe(401);
});
