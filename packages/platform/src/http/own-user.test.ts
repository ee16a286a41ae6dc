import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { isOwnSocket } from './own-user.ts';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

/** A server that says to each connection whether it is one of its own user. */
async function listen(host: string) {
  const server = createServer(async (socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(JSON.stringify(await isOwnSocket(socket)));
  }).listen(0, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}

describe.skipIf(process.platform !== 'linux')('a connection (Linux only)', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
    ['::', '127.0.0.1'],
    ['::', '::1'],
    ['::', '::ffff:127.0.0.1'],
    ['0.0.0.0', '127.0.0.7'],
  ])('of the same user is known, listening on %s and called at %s', async (host, called) => {
    await using server = await listen(host);
    expect(await text(connect(server.port, called))).toBe('true');
  });

  it('has no owner once its socket is closed', async () => {
    const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [accepted] = (await once(server, 'connection')) as [Socket];
    expect(await isOwnSocket(accepted)).toBe(true);
    const gone = once(client, 'close');
    client.destroy();
    await gone;
    // The system still lists the connection, under root, until this side closes too.
    expect(await isOwnSocket(accepted)).toBe(false);
    accepted.destroy();
    server.close();
  });

  it.skipIf(!isRoot)(
    'of another user is distinguished, even from our own port at another loopback address (needs root, to become another user)',
    async () => {
      await using server = await listen('0.0.0.0');
      const ours = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
      await once(ours, 'data');
      const script = `
        const { text } = require('node:stream/consumers');
        const { connect } = require('node:net');
        const ask = (i) => text(connect({ port: ${server.port}, host: '127.0.0.1', localAddress: '127.0.0.' + i, localPort: ${ours.localPort} }));
        // One by one: which of two sockets the system lists first depends on their addresses.
        (async () => { for (let i = 2; i < 32; i++) console.log(await ask(i)); })();`;
      const child = spawn(process.execPath, ['-e', script], { uid: NOBODY, gid: NOBODY, cwd: '/', env: {} });
      expect(await text(child.stdout)).toBe('false\n'.repeat(30));
      ours.destroy();
    },
  );
});
