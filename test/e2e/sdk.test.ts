import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  connect as connectFromBrowser,
  type Message,
  type RelayError,
  type SendResult,
} from '@agent-relay/sdk';
import { connect, discoverSocket, type NodeConnectOptions, type Relay } from '@agent-relay/sdk/node';
import { describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../kit/daemon.ts';

const reconnect = { minDelayMs: 5, maxDelayMs: 50 };

const local = (daemon: TestDaemon, options: NodeConnectOptions): Promise<Relay> =>
  connect({ reconnect, env: daemon.env, cwd: daemon.projectDirectory, ...options });

/** The next `count` messages an agent is given. */
async function take(relay: Relay, count: number): Promise<Message[]> {
  const taken: Message[] = [];
  for await (const message of relay.messages()) {
    taken.push(message);
    if (taken.length === count) break;
  }
  return taken;
}

async function remote(daemon: TestDaemon): Promise<{ url: string; workspaceKey: string }> {
  await using owner = await local(daemon, {});
  const { key } = await owner.request('KEY_CREATE', {});
  return { url: `ws://${daemon.http}/ws`, workspaceKey: key };
}

describe('the SDK with a real daemon', () => {
  it('sends, delivers, reads and traces', async () => {
    await using daemon = await startDaemon();
    await using alice = await local(daemon, { name: 'Alice', capabilities: ['review'] });
    await using bob = await local(daemon, { name: 'Bob', paths: [] });
    expect(alice).toMatchObject({ name: 'Alice', project: 'demo', state: 'connected' });
    const sent = await bob.send('Alice', 'hello', { kind: 'question', thread: 'greeting' });
    expect(sent).toMatchObject({ duplicate: false, recipients: 1, offline: [] });
    const [message] = await take(alice, 1);
    expect(message).toMatchObject({ from: 'Bob', content: 'hello', kind: 'question', thread: 'greeting' });
    expect((await alice.inbox({ markRead: false })).unread).toBe(1);
    expect(await alice.ack(sent.messageId)).toBe(1);
    const { deliveries } = await bob.trace(sent.messageId);
    expect(deliveries).toMatchObject([{ recipient: 'Alice', state: 'acked' }]);
    expect((await bob.who()).map(({ name }) => name).sort()).toEqual(['Alice', 'Bob']);
    expect(await alice.status()).toMatchObject({ project: 'demo', agent: 'Alice' });
  });

  it('refuses to wait for messages that cannot come', async () => {
    await using daemon = await startDaemon();
    await using observer = await local(daemon, {});
    await expect(observer.messages().next()).rejects.toMatchObject({ code: 'AgentNameRequired' });
    await using bob = await local(daemon, { name: 'Bob', paths: [] });
    await expect(bob.messages().next()).rejects.toMatchObject({ code: 'InvalidRequest' });
  });

  it('finds the daemon, and gives a local agent its own identity in every process', async () => {
    await using daemon = await startDaemon();
    const found = await discoverSocket({ env: daemon.env, cwd: daemon.projectDirectory });
    expect(found).toEqual({
      socketPath: daemon.socketPath,
      project: 'demo',
      source: '.relay/config.json',
      directory: daemon.projectDirectory,
    });
    const sockets = { socketPath: daemon.socketPath, env: daemon.env };
    const [first, second] = await Promise.all([
      connect({ ...sockets, name: 'Alice' }),
      connect({ ...sockets, name: 'alice' }),
    ]);
    expect(first.name).toBe(second.name);
    await Promise.all([first.close(), second.close()]);
    const stranger = connect({ ...sockets, name: 'Alice', token: `at_${'x'.repeat(43)}` });
    await expect(stranger).rejects.toMatchObject({ code: 'NameTaken' });
  });

  it('waits for an answer, which is marked read and not delivered again', async () => {
    await using daemon = await startDaemon();
    await using alice = await local(daemon, { name: 'Alice' });
    await using bob = await local(daemon, { name: 'Bob' });
    const handedOver: string[] = [];
    alice.on('message', ({ content }) => handedOver.push(content));
    bob.on('message', (question) => {
      expect(question.awaitsReply).toBe(true);
      void bob.send('Alice', 'yes', { thread: question.thread });
    });
    const answer = await alice.sendAndWait('Bob', 'ready?');
    expect(answer).toMatchObject({ from: 'Bob', content: 'yes' });
    expect((await alice.inbox()).messages).toEqual([]);
    await bob.send('Alice', 'and more');
    await expect.poll(() => handedOver).toEqual(['and more']);
  });

  it('reports why there is no answer: timeout, cancellation, two agents waiting for each other', async () => {
    await using daemon = await startDaemon();
    await using alice = await local(daemon, { name: 'Alice' });
    await using bob = await local(daemon, { name: 'Bob' });
    await expect(alice.sendAndWait('Bob', 'anyone?', { timeoutMs: 50 })).rejects.toMatchObject({
      code: 'Timeout',
    });
    const caller = new AbortController();
    const cancelled = alice.sendAndWait('Bob', 'wait', {
      signal: caller.signal,
      onStored: () => caller.abort(),
    });
    await expect(cancelled).rejects.toMatchObject({ code: 'Cancelled' });
    const mutual: Array<Promise<string>> = [];
    const waiting = alice.sendAndWait('Bob', 'you first', {
      onStored: () => mutual.push(bob.sendAndWait('Alice', 'no, you').catch((error) => error.code)),
    });
    await expect(waiting).rejects.toMatchObject({ code: 'MutualAwait' });
    expect(await Promise.all(mutual)).toEqual(['MutualAwait']);
  });

  it('loses and repeats nothing when the daemon is killed repeatedly under load', async () => {
    await using daemon = await startDaemon();
    await using alice = await local(daemon, { name: 'Alice' });
    await using bob = await local(daemon, { name: 'Bob' });
    const received: string[] = [];
    alice.on('message', ({ content }) => received.push(content));
    await using owner = await local(daemon, {});
    const followed: string[] = [];
    const following = (async () => {
      for await (const { content } of owner.tail({ after: 0 })) {
        if (followed.push(content) === 600) break;
      }
    })();
    const expected: string[] = [];
    for (let round = 0; round < 3; round++) {
      const sends = Array.from({ length: 200 }, (_, index) => {
        const content = `${round}:${index}`;
        expected.push(content);
        return bob.send('Alice', content);
      });
      await sends[20];
      await daemon.kill9();
      await daemon.start();
      await Promise.all(sends);
    }
    await expect.poll(() => received.length, { timeout: 10_000 }).toBe(expected.length);
    expect(received).toEqual(expected);
    await following;
    expect(followed).toEqual(expected);
  });

  it('gets the awaited answer even if the daemon is killed meanwhile', async () => {
    await using daemon = await startDaemon();
    await using alice = await local(daemon, { name: 'Alice', paths: [] });
    await using bob = await local(daemon, { name: 'Bob', paths: [] });
    const stored = Promise.withResolvers<SendResult>();
    const answer = alice.sendAndWait('Bob', 'ready?', { onStored: stored.resolve });
    const { thread } = await stored.promise;
    await daemon.kill9();
    await daemon.start();
    await bob.send('Alice', 'yes', thread === undefined ? {} : { thread });
    expect((await answer).content).toBe('yes');
  });

  it('gives each of two questions its own answer even if the daemon is killed meanwhile', async () => {
    await using daemon = await startDaemon();
    await using alice = await local(daemon, { name: 'Alice', paths: [] });
    await using bob = await local(daemon, { name: 'Bob', paths: [] });
    const ask = async (content: string) => {
      const stored = Promise.withResolvers<SendResult>();
      const answer = alice.sendAndWait('Bob', content, { thread: 'release', onStored: stored.resolve });
      await stored.promise;
      return { answer };
    };
    const questions = [await ask('tagged?'), await ask('published?')];
    await daemon.kill9();
    await daemon.start();
    for (const content of ['it is', 'not yet']) await bob.send('Alice', content, { thread: 'release' });
    const answers = await Promise.all(questions.map(({ answer }) => answer));
    expect(answers.map(({ content }) => content).sort()).toEqual(['it is', 'not yet']);
  });

  it('survives a graceful restart without an error', async () => {
    await using daemon = await startDaemon();
    await using alice = await local(daemon, { name: 'Alice' });
    await using bob = await local(daemon, { name: 'Bob' });
    const back = new Promise((resolve) => bob.once('connected', resolve));
    const sends = Array.from({ length: 50 }, (_, index) => bob.send('Alice', `before ${index}`));
    const stopped = daemon.stop();
    sends.push(bob.send('Alice', 'while stopping'));
    await stopped;
    await daemon.start();
    await Promise.all([...sends, back]);
    expect((await take(alice, 51)).at(-1)?.content).toBe('while stopping');
  });

  it('reconnects as the same agent after it and its project were renamed', async () => {
    await using daemon = await startDaemon();
    await using bob = await local(daemon, { name: 'Bob' });
    await using carol = await local(daemon, { name: 'Carol', project: 'demo' });
    expect(await daemon.cli(['agent', 'rename', 'Bob', 'Robert'])).toMatchObject({ code: 0 });
    expect(await daemon.cli(['workspace', 'rename', 'demo', 'shop'])).toMatchObject({ code: 0 });
    await daemon.stop();
    const back = [bob, carol].map((relay) => new Promise((resolve) => relay.once('connected', resolve)));
    await daemon.start();
    await Promise.all(back);
    expect(bob).toMatchObject({ name: 'Robert', project: 'shop' });
    expect(carol).toMatchObject({ name: 'Carol', project: 'shop' });
    await using alice = await local(daemon, { name: 'Alice' });
    expect((await alice.who({ includeOffline: true })).map(({ name }) => name).sort()).toEqual([
      'Alice',
      'Carol',
      'Robert',
    ]);
    await alice.send('Robert', 'still you?');
    expect((await take(bob, 1)).map(({ content }) => content)).toEqual(['still you?']);
  });

  it('gets messages after the database was replaced', async () => {
    await using daemon = await startDaemon();
    await using bob = await local(daemon, { name: 'Bob' });
    await using alice = await local(daemon, { name: 'Alice' });
    for (let i = 0; i < 5; i++) await alice.send('Bob', `old ${i}`);
    await take(bob, 5);
    await daemon.stop();
    for (const end of ['', '-wal', '-shm'])
      await rm(join(daemon.dataDirectory, `relay.db${end}`), { force: true });
    const back = Promise.all(
      [alice, bob].map((relay) => new Promise((resolve) => relay.once('connected', resolve))),
    );
    await daemon.start();
    await back;
    await alice.send('Bob', 'new');
    expect((await take(bob, 1)).map(({ content }) => content)).toEqual(['new']);
  });

  it('reports who connects and disconnects', async () => {
    await using daemon = await startDaemon();
    await using watcher = await local(daemon, {});
    const online = new Promise<string>((resolve) =>
      watcher.once('agent.online', ({ agent }) => resolve(agent)),
    );
    await watcher.watch();
    await using alice = await local(daemon, { name: 'Alice' });
    expect(await online).toBe('Alice');
    expect(alice.state).toBe('connected');
  });
});

describe('the SDK over WebSocket', () => {
  it('works with a workspace key, and gets the token of its name', async () => {
    await using daemon = await startDaemon();
    const door = await remote(daemon);
    const reconnecting = { ...door, reconnect };
    await using alice = await connectFromBrowser({ ...reconnecting, name: 'Alice' });
    await using bob = await local(daemon, { name: 'Bob' });
    expect(alice.agentToken).toMatch(/^at_/);
    const large = 'é'.repeat(30_000);
    await alice.send('Bob', large);
    expect((await take(bob, 1))[0]?.content).toBe(large);
    await bob.send('Alice', 'over the web');
    expect((await take(alice, 1))[0]?.content).toBe('over the web');

    await expect(connectFromBrowser({ ...door, name: 'Alice' })).rejects.toMatchObject({ code: 'NameTaken' });
    const token = alice.agentToken ?? '';
    await using again = await connectFromBrowser({ url: door.url, token });
    expect(again.name).toBe('Alice');
  });

  it('reconnects after a kill, on the same port, as the same agent', async () => {
    await using daemon = await startDaemon();
    const port = daemon.http.split(':').at(-1) ?? '';
    const door = await remote(daemon);
    await using alice = await connectFromBrowser({ ...door, reconnect, name: 'Alice' });
    const back = new Promise((resolve) => alice.once('connected', resolve));
    daemon.env.RELAY_HTTP_PORT = port;
    await daemon.kill9();
    await daemon.start();
    await back;
    await alice.send('Alice', 'note to myself');
  });

  it('gets the reason for a refused key, and is disconnected when the key is revoked', async () => {
    await using daemon = await startDaemon();
    const door = await remote(daemon);
    await expect(connectFromBrowser({ url: door.url })).rejects.toMatchObject({ code: 'Unauthorized' });
    await expect(
      connectFromBrowser({ url: door.url, workspaceKey: 'rk_00000000_wrong' }),
    ).rejects.toMatchObject({ code: 'Unauthorized' });
    await using alice = await connectFromBrowser({ ...door, reconnect, name: 'Alice' });
    const closed = new Promise<RelayError | undefined>((resolve) => alice.once('closed', resolve));
    await using owner = await local(daemon, {});
    await owner.request('KEY_ROTATE', {});
    expect(await closed).toMatchObject({ code: 'Unauthorized' });
  });
});
