import { newAgentToken } from '@agent-relay/platform/secrets';
import type { Message } from '@agent-relay/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawClient } from '../../../../../test/kit/raw-client.ts';
import { DOORS, type Served, serve } from '../../../../../test/kit/served.ts';

const WINDOW = 256;

let served: Served;
beforeAll(async () => {
  served = await serve();
});
afterAll(() => served[Symbol.asyncDispose]());

let count = 0;
const newName = (word: string) => `${word}-${++count}x`;

const sendMany = (from: RawClient, to: string, many: number, filler = '') =>
  Promise.all(Array.from({ length: many }, (_, i) => from.request('SEND', { to, content: `${i}${filler}` })));
const numbers = (messages: Message[]) => messages.map(({ content }) => Number.parseInt(content, 10));
const upTo = (many: number, from = 0) => Array.from({ length: many - from }, (_, i) => i + from);

describe.each(DOORS)('deliveries on a %s', (door) => {
  it('stop at 256 unacknowledged ones, and continue as those are acknowledged', async () => {
    const name = newName('bob');
    const receiver = await served.join(name, {}, door);
    const sender = await served.join(newName('alice'), {}, door);
    await sendMany(sender, name, 600);
    const first = await receiver.deliveries(WINDOW);
    await receiver.settled();
    expect(receiver.received).toEqual([]);
    receiver.send('ACK', { upTo: first[99]?.seq });
    const second = await receiver.deliveries(100);
    await receiver.settled();
    expect(receiver.received).toEqual([]);
    receiver.send('ACK', { upTo: second.at(-1)?.seq });
    const third = await receiver.deliveries(244);
    expect(numbers([...first, ...second, ...third])).toEqual(upTo(600));
  });

  it('are acknowledged without an answer', async () => {
    const receiver = await served.join(newName('bob'), {}, door);
    receiver.send('ACK', { upTo: 5 });
    await receiver.settled();
    expect(receiver.received).toEqual([]);
  });

  it('continue after a lost connection where the client was', async () => {
    const name = newName('bob');
    const token = newAgentToken();
    const before = await served.join(name, { token }, door);
    const sender = await served.join(newName('alice'), {}, door);
    const sent = await sendMany(sender, name, 300);
    await before.deliveries(100);
    before[Symbol.dispose]();
    const after = await served.join(name, { token, resumeAfter: sent[99]?.seq }, door);
    const got = await after.deliveries(100);
    after.send('ACK', { upTo: got.at(-1)?.seq });
    got.push(...(await after.deliveries(100)));
    expect(numbers(got)).toEqual(upTo(300, 100));
  });

  it('include all unread messages for a client without a position', async () => {
    const name = newName('bob');
    const token = newAgentToken();
    const before = await served.join(name, { token }, door);
    const sender = await served.join(newName('alice'), {}, door);
    const sent = await sendMany(sender, name, 10);
    await before.deliveries(10);
    await before.request('ACK', { messages: sent.slice(0, 4).map((one) => one.messageId), state: 'read' });
    await before.end();
    const after = await served.join(name, { token }, door);
    expect(numbers(await after.deliveries(6))).toEqual(upTo(10, 4));
  });

  it('are not pushed to a connection that does not want them', async () => {
    const name = newName('bob');
    const receiver = await served.join(name, { paths: [] }, door);
    const sender = await served.join(newName('alice'), {}, door);
    await sendMany(sender, name, 3);
    await receiver.settled();
    expect(receiver.received).toEqual([]);
    expect((await receiver.request('INBOX', {})).messages).toHaveLength(3);
  });
});

describe('a client that does not read', () => {
  const FILLER = 'x'.repeat(50_000);
  /** What may be under way to it: the limit of the session, the buffers of the system, one message too many. */
  const UNDER_WAY_BYTES = 1024 * 1024;

  it('gets no more than fits, slows nobody, and gets everything in order when it reads again', async () => {
    const name = newName('slow');
    const slow = await served.join(name);
    const quickName = newName('quick');
    const quick = await served.join(quickName);
    const sender = await served.join(newName('alice'));
    slow.pause();
    const before = served.counters.deliveriesPushed;
    await sendMany(sender, name, 100, FILLER);
    const pushed = served.counters.deliveriesPushed - before;
    expect(pushed * FILLER.length).toBeLessThan(UNDER_WAY_BYTES);
    await sendMany(sender, quickName, 50);
    expect(numbers(await quick.deliveries(50))).toEqual(upTo(50));
    slow.resume();
    expect(numbers(await slow.deliveries(100))).toEqual(upTo(100));
  });

  it('and follows everything is treated the same', async () => {
    const follower = await served.connect();
    await follower.hello({});
    await follower.request('TAIL', {});
    const name = newName('bob');
    const bob = await served.join(name, { paths: [] });
    const sender = await served.join(newName('alice'));
    follower.pause();
    await sendMany(sender, name, 60, FILLER);
    await bob.settled();
    follower.resume();
    const seen: Message[] = [];
    while (seen.length < 60) {
      seen.push(((await follower.next('EVENT')).payload as { message: Message }).message);
    }
    expect(numbers(seen)).toEqual(upTo(60));
  });

  it('and watches gets one event that says that it missed some', async () => {
    const watcher = await served.join(newName('watcher'));
    await watcher.request('WATCH', {});
    const name = newName('bob');
    const token = newAgentToken();
    const sender = await served.join(newName('alice'));
    const watched = (await watcher.request('STATUS', {})).agent ?? '';
    watcher.pause();
    await sendMany(sender, watched, 30, FILLER);
    for (let i = 0; i < 5; i++) await (await served.join(name, { token })).end();
    watcher.resume();
    await watcher.deliveries(30);
    const changed = await watcher.next(
      ({ type, payload }) => type === 'EVENT' && (payload as { type: string }).type === 'events.missed',
    );
    expect(changed.payload).toEqual({ type: 'events.missed' });
  });

  it('but sends requests is not read any more, and gets all answers when it reads again', async () => {
    const capabilities = Array.from({ length: 100 }, (_, i) => `c${i}-`.padEnd(120, 'x'));
    for (let i = 0; i < 8; i++) await served.join(newName('described'), { capabilities });
    const asker = await served.join(newName('asker'));
    const other = await served.join(newName('other'));
    asker.pause();
    const answered = () => served.counters.requests.get('WHO')?.get('ok') ?? 0;
    const before = answered();
    const ids = Array.from({ length: 500 }, () => asker.send('WHO', {}));
    for (let i = 0; i < 20; i++) await other.settled();
    // Each answer has 100 kB and more; four times the limit of pushes may be waiting for the client.
    expect(answered() - before).toBeGreaterThan(0);
    expect(answered() - before).toBeLessThan(30);
    asker.resume();
    for (const id of ids) expect((await asker.next('ACK')).payload).toMatchObject({ id });
  });
});
