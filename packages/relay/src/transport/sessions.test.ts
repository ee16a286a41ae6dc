import { connect as connectTo } from 'node:net';
import { encodeFrame, MAX_BODY_BYTES } from '@agent-relay/protocol';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCore, type TestCore } from '../../../../test/kit/core.ts';
import type { RawClient } from '../../../../test/kit/raw-client.ts';
import { DOORS, type Served, type ServedOptions, serve } from '../../../../test/kit/served.ts';

let core: TestCore;
let served: Served;
const start = async (options: ServedOptions = {}) => {
  served = await serve(options, core);
};
beforeAll(async () => {
  core = await openCore({ maxBodyBytes: MAX_BODY_BYTES });
});
afterAll(() => core[Symbol.asyncDispose]());
afterEach(() => served[Symbol.asyncDispose]());

/** Everything that is stored in the workspace of the test. */
const messages = () =>
  core.relay.store.listMessages({ workspaceId: served.workspace.id, after: 0, limit: 1000 });

const HEARTBEAT_MS = 10_000;

describe.each(DOORS)('heartbeats on a %s', (door) => {
  beforeEach(() => start({ heartbeatMs: HEARTBEAT_MS }));

  /** Time passes as it does: second by second, everything that is on its way arrives in between. */
  const pass = async (ms: number, listener: RawClient) => {
    for (let passed = 0; passed < ms; passed += 1000) {
      served.core.clock.advance(1000);
      await listener.settled();
    }
  };

  it('ping a silent client', async () => {
    const client = await served.join('alice', {}, door);
    const listener = await served.join('listener');
    await pass(HEARTBEAT_MS - 2000, listener);
    expect(client.received).toEqual([]);
    await pass(2000, listener);
    await client.next('PING');
  });

  it('keep a client that answers', async () => {
    const client = await served.join('alice', {}, door);
    const listener = await served.join('listener');
    for (let i = 0; i < 10; i++) {
      await pass(HEARTBEAT_MS, listener);
      const { id } = await client.next('PING');
      client.send('PONG', {}, id);
    }
    await client.settled();
    expect(served.counters.connectionsLost).toBe(0);
  });

  it('disconnect a client that does not answer: its agent is offline, and loses nothing', async () => {
    const silent = await served.join('silent', {}, door);
    const listener = await served.join('listener');
    await pass(2.5 * HEARTBEAT_MS, listener);
    expect(silent.isClosed).toBe(false);
    await pass(1000, listener);
    await silent.closed;
    expect(served.counters.connectionsLost).toBe(1);
    const sent = await listener.request('SEND', { to: 'silent', content: 'Hi.' });
    expect(sent).toMatchObject({ online: 0, offline: ['silent'] });
  });

  it.each([-3_600_000, 3_600_000])('are not affected when the clock is set by %i ms', async (ms) => {
    const client = await served.join('alice', {}, door);
    const listener = await served.join('listener');
    served.core.clock.set(ms);
    await pass(1000, listener);
    expect(client.received).toEqual([]);
    expect(served.counters.connectionsLost).toBe(0);
    await pass(HEARTBEAT_MS - 1000, listener);
    await client.next('PING');
  });

  it('answer a PING of the client with its id', async () => {
    const client = await served.join('alice', {}, door);
    const id = client.send('PING');
    expect((await client.next('PONG')).payload).toEqual({ id });
  });
});

describe('a short heartbeat', () => {
  it('is checked more often, so that a client that answers is kept', async () => {
    await start({ heartbeatMs: 100 });
    const client = await served.join('alice');
    for (let i = 0; i < 20; i++) {
      served.core.clock.advance(100);
      await client.next('PING');
      client.send('PONG');
      await client.settled();
      client.received.length = 0;
    }
    expect(served.counters.connectionsLost).toBe(0);
  });
});

describe('more connections than the daemon accepts', () => {
  it.each(DOORS)('are refused on a %s, until another one ends', async (door) => {
    await start({ maxConnections: 2 });
    const first = await served.join('one');
    await served.join('two');
    const third = await served.connect(door);
    expect(await third.nextError()).toMatchObject({ code: 'Overloaded', retryable: true });
    await third.closed;
    await first.end();
    await served.join('four', {}, door);
  });

  it('from other machines leave room for programs of the user', async () => {
    await start({ maxConnections: 10 });
    for (let i = 0; i < 9; i++) await served.join(`remote-${i}`, {}, 'WebSocket');
    const tenth = await served.connect('WebSocket');
    expect(await tenth.nextError()).toMatchObject({ code: 'Overloaded' });
    await served.join('local');
  });
});

describe('more open requests than a connection may have', () => {
  it.each(DOORS)('wait on a %s: the connection is not read until some are answered', async (door) => {
    await start({ maxPendingRequests: 1 });
    const alice = await served.join('alice', {}, door);
    const bob = await served.join('bob');
    const ids = Array.from({ length: 50 }, (_, i) => alice.send('SEND', { to: 'bob', content: `${i}` }));
    for (const id of ids) {
      expect((await alice.next('ACK')).payload).toMatchObject({ id });
      const [message] = await bob.deliveries(1);
      bob.send('ACK', { upTo: message?.seq });
    }
    await Promise.all(Array.from({ length: 2000 }, () => alice.request('WHO', {})));
  });
});

describe('a frame that is too large', () => {
  it('ends the connection with FrameTooLarge on a unix socket, as soon as it is announced', async () => {
    await start({ maxFrameBytes: 1000 });
    const client = await served.join('alice');
    client.sendBytes(encodeFrame('x'.repeat(1001)).subarray(0, 10));
    expect(await client.nextError()).toMatchObject({ code: 'FrameTooLarge' });
    await client.closed;
  });

  it('ends the connection on a WebSocket', async () => {
    await start({ maxFrameBytes: 1000 });
    const client = await served.join('alice', {}, 'WebSocket');
    client.sendText('x'.repeat(1001));
    await client.closed;
  });

  it('is reported for a browser on the socket', async () => {
    await start();
    const client = await served.connect();
    client.sendBytes(Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'));
    expect(await client.nextError()).toMatchObject({ code: 'FrameTooLarge' });
    await client.closed;
  });
});

describe('bytes that are not an envelope', () => {
  it('of invalid UTF-8 get an error, and the next frame is read', async () => {
    await start();
    const client = await served.join('alice');
    client.sendBytes(new Uint8Array([0, 0, 0, 2, 0xc3, 0x28]));
    expect(await client.nextError()).toMatchObject({ code: 'MalformedFrame' });
    await client.settled();
  });

  it('as a binary message get an error', async () => {
    await start();
    const client = await served.join('alice', {}, 'WebSocket');
    client.sendBytes(Buffer.from('{}'));
    expect(await client.nextError()).toMatchObject({ code: 'MalformedFrame' });
    await client.settled();
  });

  it('cut off in the middle leave nothing behind', async () => {
    await start({ maxConnections: 2 });
    const listener = await served.join('listener');
    for (let i = 0; i < 10; i++) {
      const socket = connectTo(served.socketPath);
      const gone = new Promise((closed) => socket.on('close', closed));
      socket.end(encodeFrame('{"v":1,"type":"HELLO"').subarray(0, 12));
      socket.resume();
      await gone;
      await listener.settled();
    }
    await served.join('next');
  });
});

describe('a daemon that stops', () => {
  it.each(DOORS)('answers open requests on a %s, announces its end, and accepts no more', async (door) => {
    await start();
    const alice = await served.join('alice', {}, door);
    const bob = await served.join('bob', {}, door);
    const ids = Array.from({ length: 50 }, (_, i) => alice.send('SEND', { to: 'bob', content: `${i}` }));
    await alice.next('ACK');
    await served.sessions.drain();
    await Promise.all([alice.closed, bob.closed]);
    const answers = alice.received.filter(({ payload }) => (payload as { id?: string }).id !== undefined);
    expect(answers).toHaveLength(ids.length - 1);
    expect(alice.received.at(-1)).toMatchObject({ type: 'ERROR', payload: { code: 'ShuttingDown' } });
    const stored = answers.filter(({ type }) => type === 'ACK').length + 1;
    expect(await messages()).toHaveLength(stored);
  });

  it('does not wait for a client that does not read', async () => {
    await start();
    const slow = await served.join('slow');
    const alice = await served.join('alice');
    slow.pause();
    await Promise.all(
      Array.from({ length: 20 }, () => alice.request('SEND', { to: 'slow', content: 'x'.repeat(50_000) })),
    );
    await served.sessions.drain();
    await alice.closed;
  });

  it('announces its end to clients that have not sent HELLO yet', async () => {
    await start();
    const client = await served.connect();
    await served.join('alice');
    await served.sessions.drain();
    expect(await client.nextError()).toMatchObject({ code: 'ShuttingDown' });
    await client.closed;
  });
});

describe.each(DOORS)('a credential that is revoked, on a %s', (door) => {
  beforeEach(() => start());

  it('ends the connection, also of a client that does not read', async () => {
    const owner = await served.connect();
    await owner.hello({});
    await owner.request('WATCH', {});
    const paused = await served.join('bob', {}, door);
    paused.pause();
    // By order, not by time: whoever is told that it is revoked finds nobody connected with it any more.
    await owner.request('TOKEN_ROTATE', { agent: 'bob' });
    const { agents } = await owner.request('WHO', { includeOffline: true });
    expect(agents).toMatchObject([{ name: 'bob', status: 'offline' }]);
    await owner.next(
      ({ type, payload }) => type === 'EVENT' && (payload as { type: string }).type === 'agent.offline',
    );
    paused.resume();
    expect(await paused.nextError()).toMatchObject({ code: 'Unauthorized' });
    await paused.closed;
  });

  it('accepts nothing that was sent with it before the client knew', async () => {
    const owner = await served.connect();
    await owner.hello({});
    const alice = await served.join('alice', {}, door);
    await served.join('bob', {}, door);
    await owner.request('TOKEN_ROTATE', { agent: 'alice' });
    alice.send('SEND', { to: 'bob', content: 'Still me?' });
    await alice.closed;
    expect(await messages()).toEqual([]);
  });
});

describe('a key that is revoked', () => {
  it('ends the connections made with it, and no others', async () => {
    await start();
    const owner = await served.connect();
    await owner.hello({});
    const { key, keyId } = await owner.request('KEY_CREATE', {});
    const agent = await served.join('alice', { workspaceKey: key }, 'WebSocket');
    const observer = await served.connect('WebSocket');
    await observer.hello({ workspaceKey: key });
    const other = await served.join('bob', {}, 'WebSocket');
    await owner.request('KEY_REVOKE', { keyId });
    expect(await owner.request('WHO', {})).toMatchObject({ agents: [{ name: 'bob' }] });
    for (const client of [agent, observer]) {
      expect(await client.nextError()).toMatchObject({ code: 'Unauthorized' });
      await client.closed;
    }
    await other.settled();
    const again = await served.connect('WebSocket');
    await expect(again.hello({ workspaceKey: key })).rejects.toMatchObject({ code: 'Unauthorized' });
  });
});
