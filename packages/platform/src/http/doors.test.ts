import { once } from 'node:events';
import { get, type IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { RelayError } from '@agent-relay/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { type Door, type OpenDoors, openDoors, sendJson } from './doors.ts';

let opened: OpenDoors | undefined;
const failures: unknown[] = [];
afterEach(() => {
  opened?.close();
  opened = undefined;
  failures.length = 0;
});

const open = async (...doors: Door[]): Promise<OpenDoors> => {
  const onerror = (error: unknown) => failures.push(error);
  opened = await openDoors(doors, { host: '127.0.0.1', port: 0, settings: 'http', onerror });
  return opened;
};

const page = (path: string, policy: string): Door => ({
  paths: [path],
  contentSecurityPolicy: policy,
  handle: (_request, response) => sendJson(response, 200, { path }),
});

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

async function ask(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const [response] = await once(get(`${opened?.url}${path}`, { headers }), 'response');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

describe('the doors of a server', () => {
  it('answer to their own paths, each with its own policy', async () => {
    await open(page('/one', "default-src 'none'"), page('/two', "default-src 'self'"));
    expect(await ask('/one?x=1')).toMatchObject({ status: 200, body: '{"path":"/one"}' });
    const { headers } = await ask('/two');
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'self'",
      'x-content-type-options': 'nosniff',
    });
    for (const path of ['/', '/one/', '/one/more', '/three']) expect((await ask(path)).status).toBe(404);
  });

  it('are behind the guard, also for unknown paths', async () => {
    await open(page('/one', ''));
    for (const path of ['/one', '/nowhere']) {
      const { status, body } = await ask(path, { Host: 'evil.example' });
      expect(status).toBe(403);
      expect(JSON.parse(body).error).toMatchObject({
        code: 'OriginRefused',
        next: 'If you trust it, add it to http.allowedHosts in the settings.',
      });
    }
    expect((await ask('/one', { Origin: 'http://localhost:5173' })).status).toBe(403);
  });

  it('return catalogue errors unchanged, and hide all others', async () => {
    const fails = (path: string, error: Error): Door => ({
      ...page(path, ''),
      handle: () => Promise.reject(error),
    });
    const secret = new Error('secret');
    await open(fails('/known', new RelayError('Unauthorized')), fails('/unknown', secret));
    const known = await ask('/known');
    expect(known).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
    expect(failures).toEqual([]);
    const unknown = await ask('/unknown');
    expect(unknown.status).toBe(500);
    expect(unknown.body).not.toContain('secret');
    expect(failures).toEqual([secret]);
  });

  it('refuse in their own format if they have one', async () => {
    const refuse: Door['refuse'] = (response, error) => sendJson(response, 418, { said: String(error) });
    await open({ ...page('/one', ''), refuse });
    const { status, body } = await ask('/one', { Origin: 'https://evil.example' });
    expect(status).toBe(418);
    expect(body).toContain('The origin \\"https://evil.example\\" is not allowed.');
  });
});

describe('a connection that does not wait for answers', () => {
  const send = (socket: Socket, count: number) =>
    socket.write('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(count));

  it('may have 16 requests open, again and again', async () => {
    const { port } = await open(page('/slow', ''));
    const socket = connect(port, '127.0.0.1');
    let answers = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      answers += chunk;
    });
    for (const sum of [16, 32]) {
      send(socket, 16);
      await expect.poll(() => answers.split('HTTP/1.1 200').length - 1).toBe(sum);
    }
    socket.destroy();
  });

  it('is closed if it has more', async () => {
    let asked = 0;
    const handle = () => {
      asked += 1;
    };
    const { port } = await open({ ...page('/slow', ''), handle });
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    send(socket, 1000);
    await once(socket, 'close');
    expect(asked).toBe(16);
  });
});

describe('an upgrade', () => {
  it('reaches the doors that accept it, behind the same guard', async () => {
    const upgrade: Door['upgrade'] = (_request, socket) =>
      void socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
    await open(page('/page', ''), { paths: ['/socket'], contentSecurityPolicy: '', upgrade });
    const status = async (path: string, headers: Record<string, string> = {}) => {
      const request = get(`${opened?.url}${path}`, {
        headers: { Connection: 'Upgrade', Upgrade: 'echo', ...headers },
      });
      const answered = once(request, 'response').then(([response]) => response.resume().statusCode);
      const upgraded = once(request, 'upgrade').then(([response, socket]) => {
        socket.destroy();
        return response.statusCode;
      });
      return Promise.race([answered, upgraded]);
    };
    expect(await status('/socket')).toBe(101);
    expect(await status('/socket', { Origin: 'https://evil.example' })).toBe(403);
    expect(await status('/page')).toBe(404);
    expect((await ask('/socket')).status).toBe(404);
  });
});
