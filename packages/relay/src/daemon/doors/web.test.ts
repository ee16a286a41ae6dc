import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect as connectTo } from 'node:net';
import { openDoors } from '@agent-relay/platform/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectToWebSocket } from '../../../../../test/kit/raw-client.ts';
import { type Served, serve } from '../../../../../test/kit/served.ts';

let served: Served;
beforeAll(async () => {
  served = await serve({
    http: { allowedHosts: ['Relay.Example'], allowedOrigins: ['https://app.example'] },
  });
});
afterAll(() => served[Symbol.asyncDispose]());

/** An HTTP request with headers that `fetch` would not let through. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const [host, port] = served.http.split(':');
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((done, failed) => {
    const sent = request({ host, port, path, headers, method }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => done({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    sent.on('error', failed);
    sent.end();
  });
}

const port = () => served.http.split(':')[1];

describe('the host of a request', () => {
  it.each(['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]', 'relay.example'])('may be %s', async (host) => {
    expect((await get('/health', { Host: `${host}:${port()}` })).status).toBe(200);
    (await connectToWebSocket(`ws://${served.http}/ws`, { headers: { Host: `${host}:${port()}` } })).end();
  });

  it.each(['evil.example', '127.0.0.1.evil.example', 'localhost.'])('may not be %s', async (host) => {
    const headers = { Host: `${host}:${port()}` };
    for (const path of ['/health', '/metrics', '/nowhere']) {
      const { status, body } = await get(path, headers);
      expect(status).toBe(403);
      expect(JSON.parse(body)).toMatchObject({ error: { code: 'OriginRefused' } });
    }
    await expect(connectToWebSocket(`ws://${served.http}/ws`, { headers })).rejects.toThrow('403');
  });
});

describe('a request without a host', () => {
  it('is refused', async () => {
    const socket = connectTo(Number(port()), '127.0.0.1');
    socket.end('GET /health HTTP/1.0\r\n\r\n');
    const [answer] = await once(socket.setEncoding('utf8'), 'data');
    expect(answer).toMatch(/^HTTP\/1\.1 40[03] /);
    socket.destroy();
  });
});

describe('the origin of a request', () => {
  it.each(['own', 'https://app.example'])('may be %s', async (page) => {
    const origin = page === 'own' ? `http://${served.http}` : page;
    expect((await get('/health', { Origin: origin })).status).toBe(200);
    (await connectToWebSocket(`ws://${served.http}/ws`, { origin })).end();
  });

  it.each(['https://evil.example', 'null', 'http://127.0.0.1:1', 'https://app.example.evil.example'])(
    'may not be %s',
    async (origin) => {
      expect((await get('/health', { Origin: origin })).status).toBe(403);
      expect((await get('/metrics', { Origin: origin }, 'POST')).status).toBe(403);
      await expect(connectToWebSocket(`ws://${served.http}/ws`, { origin })).rejects.toThrow('403');
    },
  );
});

describe('what is served', () => {
  it('/health is open to everybody', async () => {
    const { status, headers, body } = await get('/health');
    expect([status, JSON.parse(body)]).toEqual([200, { status: 'ok' }]);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'",
    });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('/metrics is open to programs of the same user', async () => {
    expect(await get('/metrics')).toMatchObject({ status: 200, body: 'the figures' });
  });

  it.each([
    ['a key is set', { needsKey: true }],
    ['others can reach the port', { host: '0.0.0.0' }],
  ])('/metrics requires a key if %s', async (_why, http) => {
    await using other = await serve({ http });
    const address = `http://127.0.0.1:${other.http.split(':')[1]}/metrics`;
    expect((await fetch(address)).status).toBe(401);
    const headers = { Authorization: `Bearer ${other.key}` };
    expect((await fetch(address, { headers })).status).toBe(200);
  });

  it('/metrics accepts a valid key, and refuses a wrong one', async () => {
    const answer = (key: string) => get('/metrics', { Authorization: `Bearer ${key}` });
    expect((await answer(served.key)).status).toBe(200);
    const refused = await answer(`${served.key.slice(0, -2)}xx`);
    expect(refused).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
    expect(JSON.parse(refused.body)).toMatchObject({ error: { code: 'Unauthorized' } });
  });

  it.each(['/', '/nowhere', '/ws', '/metrics/..'])('%s is not found', async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  it('a WebSocket on another path is not found', async () => {
    for (const path of ['/', '/health', '/ws/more']) {
      await expect(connectToWebSocket(`ws://${served.http}${path}`)).rejects.toThrow('404');
    }
  });

  it('a key in the URL of the WebSocket is ignored', async () => {
    const client = await connectToWebSocket(`ws://${served.http}/ws?workspaceKey=${served.key}`);
    await expect(client.hello({ name: 'Eve' })).rejects.toMatchObject({ code: 'Unauthorized' });
  });
});

describe('a peer that disconnects while it is refused', () => {
  it('does no harm', async () => {
    const [host = '', portText] = served.http.split(':');
    for (let i = 0; i < 20; i++) {
      const socket = connectTo(Number(portText), host);
      await once(socket, 'connect');
      const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
      socket.write(`GET /nowhere HTTP/1.1\r\nHost: ${served.http}\r\n${upgrade}`);
      socket.resetAndDestroy();
    }
    expect((await get('/health')).status).toBe(200);
  });
});

describe('a browser', () => {
  it.each<[string, Record<string, string>]>([
    ['a page of ours', { Origin: 'own', 'Sec-Fetch-Site': 'same-origin' }],
    ['a page that is allowed', { Origin: 'https://app.example' }],
    ['a page of others that opens it', { 'Sec-Fetch-Site': 'cross-site' }],
    ['the address bar', { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate' }],
  ])('is not a program of the user: %s', async (_what, headers) => {
    const sent = headers.Origin === 'own' ? { ...headers, Origin: `http://${served.http}` } : headers;
    expect((await get('/metrics', sent)).status).toBe(401);
    expect((await get('/metrics', { ...sent, Authorization: `Bearer ${served.key}` })).status).toBe(200);
  });

  it('is distinguished from a program that uses the same network code', async () => {
    const headers = { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'empty' };
    expect((await get('/metrics', headers)).status).toBe(200);
    expect((await get('/metrics', { 'Sec-Fetch-Mode': 'cors' })).status).toBe(200);
    expect((await get('/metrics', { Origin: `http://${served.http}` })).status).toBe(200);
  });
});

describe('an address that cannot be used', () => {
  it.each([
    ['127.0.0.1', 'PortInUse'],
    ['nowhere.invalid', 'InvalidSettings'],
  ])('is reported with the next step: %s', async (host, code) => {
    const opening = openDoors([], { host, port: Number(port()), choosePort: '--port', settings: 'http' });
    await expect(opening).rejects.toMatchObject({ code, next: expect.stringContaining('--port') });
  });
});

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

describe('another user of the machine', () => {
  it.skipIf(!isRoot)('is refused the metrics (needs root, to become another user)', async () => {
    const script = `fetch('http://${served.http}/metrics').then(async (r) => console.log(r.status, await r.text()))`;
    const child = spawn(process.execPath, ['-e', script], { uid: NOBODY, gid: NOBODY, cwd: '/', env: {} });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    await once(child, 'close');
    expect(output).toMatch(/^401 /);
    expect(output).not.toContain('the figures');
  });
});
