import type { HelloPayload, Message } from '@agent-relay/protocol';
import { describe, expect, test, vi } from 'vitest';
import { AGENT, messageOf, play } from '../../../../test/kit/scripted-peer.ts';

/** Everything the daemon sent has been read when the answer to a later request is there. */
async function settled({ daemon, relay }: Awaited<ReturnType<typeof play>>) {
  const answer = relay.status();
  const request = await daemon.take('STATUS');
  daemon.ack(request);
  await answer;
}

const seqs = (messages: Message[]) => messages.map(({ seq }) => seq);

describe('deliveries', () => {
  test('are requested when somebody listens, come in order, and are acknowledged together', async () => {
    await using scene = await play();
    const { daemon, relay } = scene;
    expect(daemon.hello?.paths).toEqual([]);
    const received: Message[] = [];
    relay.on('message', (message) => received.push(message));
    await daemon.received();
    daemon.deliver(3, 5, 9);
    const { payload } = await daemon.take('ACK');
    expect(payload).toEqual({ upTo: 9 });
    expect(received).toEqual([3, 5, 9].map(messageOf));
  });

  test('that nobody requested are neither kept nor acknowledged', async () => {
    await using scene = await play();
    scene.daemon.deliver(1);
    await settled(scene);
    await scene.relay.close();
    await scene.daemon.closed;
    await expect(Promise.race([scene.daemon.take(), 'nothing'])).resolves.toBe('nothing');
  });

  test('taken by a loop are acknowledged when it takes the next one', async () => {
    await using scene = await play();
    const { daemon, relay } = scene;
    const messages = relay.messages();
    const first = messages.next();
    await daemon.received();
    daemon.deliver(1, 2);
    expect((await first).value).toEqual(messageOf(1));
    await settled(scene);
    expect((await messages.next()).value).toEqual(messageOf(2));
    expect((await daemon.take('ACK')).payload).toEqual({ upTo: 1 });
    await messages.return();
    expect((await daemon.take('ACK')).payload).toEqual({ upTo: 2 });
    await daemon.received([]);
  });

  test('left after a break are returned, and requested again by the next loop', async () => {
    await using scene = await play();
    const { daemon, relay } = scene;
    const taken: number[] = [];
    const take = async (last: number) => {
      for await (const { seq } of relay.messages()) {
        taken.push(seq);
        if (seq === last) break;
      }
    };
    const first = take(1);
    await daemon.received();
    daemon.deliver(1, 2, 3);
    await first;
    await daemon.acknowledged(1);
    await daemon.received([]);
    const second = take(3);
    expect(await daemon.received()).toBe(1);
    daemon.deliver(2, 3);
    await second;
    expect(taken).toEqual([1, 2, 3]);
  });

  test('continue after a reconnect where the application was, without gaps or repetitions', async () => {
    await using scene = await play();
    const { peer, daemon, relay } = scene;
    const messages = relay.messages();
    const first = messages.next();
    await daemon.received();
    daemon.deliver(1, 2, 3);
    await first;
    await messages.next();
    await settled(scene).catch(() => undefined);
    daemon.destroy();
    // 1 was accepted and 2 is in the application's hands; 2 and 3 come again, being unacknowledged.
    const again = await peer.welcome();
    expect(again.hello).toMatchObject({ paths: ['push'], resumeAfter: 1 });
    again.deliver(2, 3, 4);
    expect((await messages.next()).value?.seq).toBe(3);
    expect((await messages.next()).value?.seq).toBe(4);
    await messages.return();
    await again.acknowledged(4);
  });

  test('requested while disconnected are part of the next HELLO', async () => {
    await using scene = await play({ reconnect: { minDelayMs: 100, maxDelayMs: 100 } });
    const { peer, daemon, relay } = scene;
    const lost = new Promise((resolve) => relay.once('disconnected', resolve));
    daemon.destroy();
    await lost;
    relay.on('message', () => undefined);
    const again = await peer.welcome();
    expect(again.hello).toMatchObject({ paths: ['push'] });
  });

  test('requested between HELLO and WELCOME are requested again', async () => {
    await using scene = await play();
    const { peer, daemon, relay } = scene;
    daemon.destroy();
    const again = await peer.accept();
    const hello = await again.take<HelloPayload>('HELLO');
    expect(hello.payload.paths).toEqual([]);
    relay.on('message', () => undefined);
    again.greet(hello.payload);
    await again.received();
  });

  test('in flight to a loop that ended do not hide earlier ones', async () => {
    await using scene = await play();
    const { daemon, relay } = scene;
    const first = relay.messages();
    const one = first.next();
    await daemon.received();
    daemon.deliver(1);
    await one;
    await first.return();
    // The daemon has not heard of that yet.
    daemon.deliver(2);
    await daemon.acknowledged(1);
    await daemon.received([]);
    await settled(scene);
    const received: number[] = [];
    relay.on('message', ({ seq }) => received.push(seq));
    daemon.deliver(3);
    expect(await daemon.received()).toBe(1);
    daemon.deliver(2, 3);
    await daemon.acknowledged(3);
    expect(received).toEqual([2, 3]);
  });

  test('that the daemon refused are requested on a new connection', async () => {
    await using scene = await play();
    const { peer, daemon, relay } = scene;
    relay.on('message', () => undefined);
    daemon.refuse(await daemon.take('RECEIVE'), 'Internal');
    const again = await peer.welcome();
    expect(again.hello).toMatchObject({ paths: ['push'] });
  });

  test('go to the same program on its next connection', async () => {
    await using scene = await play();
    const { peer, daemon } = scene;
    expect(daemon.hello?.receiver).toEqual(expect.any(String));
    daemon.destroy();
    const again = await peer.welcome();
    expect(again.hello?.receiver).toBe(daemon.hello?.receiver);
  });

  test('of a daemon with a new database are accepted, although its numbers start over', async () => {
    await using scene = await play();
    const { peer, daemon, relay } = scene;
    const received: Message[] = [];
    relay.on('message', (message) => received.push(message));
    const loop = relay.messages();
    const inHand = loop.next();
    await daemon.received();
    daemon.deliver(7, 8);
    expect((await inHand).value?.seq).toBe(7);
    const second = loop.next();
    await daemon.acknowledged(7);
    daemon.send('REPLY', { id: 'nobody waits', message: messageOf(10) });
    await settled(scene);
    daemon.destroy();
    const again = await peer.welcome({ resumeAfter: 0 });
    expect(again.hello?.resumeAfter).toBe(7);
    again.deliver(1, 2);
    expect((await second).value?.seq).toBe(8);
    expect((await loop.next()).value?.seq).toBe(1);
    expect((await loop.next()).value?.seq).toBe(2);
    await loop.return();
    await again.acknowledged(2);
    expect(seqs(received)).toEqual([7, 8, 1, 2]);
    again.destroy();
    expect((await peer.welcome()).hello?.resumeAfter).toBe(2);
  });

  test('reach every listener, and are accepted when the slowest consumer has them', async () => {
    await using scene = await play();
    const { daemon, relay } = scene;
    const received: Message[] = [];
    const slow = relay.messages();
    const first = slow.next();
    relay.on('message', (message) => received.push(message));
    await daemon.received();
    daemon.deliver(1, 2);
    expect((await first).value?.seq).toBe(1);
    await settled(scene);
    expect(seqs(received)).toEqual([1, 2]);
    await slow.next();
    expect((await daemon.take('ACK')).payload).toEqual({ upTo: 1 });
  });

  test('end after the first one with once', async () => {
    await using scene = await play();
    const { daemon, relay } = scene;
    const first = new Promise<Message>((resolve) => relay.once('message', resolve));
    await daemon.received();
    daemon.deliver(1, 2);
    expect((await first).seq).toBe(1);
    expect((await daemon.take('ACK')).payload).toEqual({ upTo: 1 });
    await daemon.received([]);
    const next = relay.messages().next();
    expect(await daemon.received()).toBe(1);
    daemon.deliver(2);
    expect((await next).value?.seq).toBe(2);
  });

  test("in a flood are acknowledged well before the daemon's window is full", async () => {
    await using scene = await play();
    const { daemon, relay } = scene;
    const received: Message[] = [];
    relay.on('message', (message) => received.push(message));
    await daemon.received();
    daemon.deliver(...Array.from({ length: 256 }, (_, index) => index + 1));
    await daemon.acknowledged(256);
    expect(received).toHaveLength(256);
  });

  test('reach the other listeners if one throws', async () => {
    await using scene = await play();
    const { daemon, relay } = scene;
    const thrown = vi.fn();
    process.once('uncaughtException', thrown);
    const before = process.listeners('uncaughtException').filter((listener) => listener !== thrown);
    for (const listener of before) process.off('uncaughtException', listener);
    try {
      relay.on('message', () => {
        throw new Error('bug of the application');
      });
      const received = new Promise<Message>((resolve) => relay.on('message', resolve));
      await daemon.received();
      daemon.deliver(1);
      expect((await received).seq).toBe(1);
      await daemon.acknowledged(1);
      expect(thrown).toHaveBeenCalledOnce();
    } finally {
      for (const listener of before) process.on('uncaughtException', listener);
    }
  });

  test('are acknowledged on close if the application has them', async () => {
    await using scene = await play();
    const { daemon, relay } = scene;
    const received = new Promise((resolve) => relay.on('message', resolve));
    await daemon.received();
    daemon.deliver(7);
    await received;
    await relay.close();
    expect((await daemon.take('ACK')).payload).toEqual({ upTo: 7 });
    await daemon.closed;
  });

  test('end the loop quietly when the client is closed', async () => {
    await using scene = await play();
    const messages = scene.relay.messages();
    const next = messages.next();
    await scene.relay.close();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  test('cannot be pushed to a client that claims them, or to an observer', async () => {
    await using host = await play({ ...AGENT, paths: ['pty'], receiver: 'host-1' });
    expect(host.daemon.hello).toMatchObject({ paths: ['pty'], receiver: 'host-1' });
    await expect(host.relay.messages().next()).rejects.toMatchObject({ code: 'InvalidRequest' });
  });
});
