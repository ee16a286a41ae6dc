import { once } from 'node:events';
import { get } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { type HttpLimits, openHttpServer } from './server.ts';

const opened: Array<{ destroy(): unknown }> = [];
afterEach(() => {
  for (const each of opened.splice(0)) each.destroy();
});

async function open(limits: HttpLimits) {
  const server = await openHttpServer((_request, response) => response.end('served'), {
    host: '127.0.0.1',
    port: 0,
    ...limits,
  });
  opened.push({
    destroy: () => {
      server.close();
      server.closeAllConnections();
    },
  });
  return { server, port: (server.address() as AddressInfo).port };
}

/** A connection that says nothing. */
async function idle(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  // One that is turned away may be reset.
  socket.on('error', () => undefined);
  opened.push(socket);
  await once(socket, 'connect');
  return socket;
}

const ask = (port: number) =>
  new Promise<string>((resolve, reject) => {
    get({ port, host: '127.0.0.1', agent: false }, (response) => resolve(text(response))).on('error', reject);
  });

describe('an HTTP server of ours', () => {
  it('limits its connections, and accepts new ones when others close', async () => {
    const { server, port } = await open({ maxConnections: 3 });
    const accepted = new Promise<void>((resolve) => {
      let count = 0;
      server.on('connection', () => ++count === 3 && resolve());
    });
    const idlers = await Promise.all([idle(port), idle(port), idle(port)]);
    await accepted;
    await expect(ask(port)).rejects.toThrow(/socket hang up|ECONNRESET/);
    for (const socket of idlers) socket.destroy();
    await expect.poll(() => ask(port).catch(() => 'refused')).toBe('served');
  });

  it('ends a connection that sends no request', async () => {
    const { port } = await open({ headersTimeoutMs: 100 });
    const silent = await idle(port);
    const slow = await idle(port);
    slow.write('GET / HTTP/1.1\r\nHost: x\r\n');
    const answers = await Promise.all([silent, slow].map((socket) => text(socket)));
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(await ask(port)).toBe('served');
  });

  it.skipIf(process.platform !== 'linux')(
    'leaves most of the files that the process may open to others',
    async () => {
      const { server } = await open({ maxConnections: 1_000_000_000 });
      const { readFile } = await import('node:fs/promises');
      const [, soft] = /Max open files +(\d+)/.exec(await readFile('/proc/self/limits', 'utf8')) ?? [];
      expect(server.maxConnections).toBe(Math.floor(Number(soft) / 4));
    },
  );
});
