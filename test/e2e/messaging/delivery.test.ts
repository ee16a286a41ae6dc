import type { DeliveryTrace, Envelope, OperationInput } from '@agent-relay/protocol';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { connectToSocket, type RawClient } from '../../kit/raw-client.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const clients: RawClient[] = [];
const tokens = new Map<string, string>();
let round = 0;
beforeEach(() => {
  round += 1;
});
afterEach(() => {
  for (const client of clients.splice(0)) client[Symbol.dispose]();
});

/** The name of an agent of this test. */
const named = (word: string) => `${word}-${round}x`;

/** Connects as an agent of this test, with the token it was issued before. */
async function join(word: string, hello: Record<string, unknown> = {}): Promise<RawClient> {
  const name = named(word);
  const client = await connectToSocket(daemon.socketPath);
  clients.push(client);
  const token = tokens.get(name);
  const { agentToken } = await client.hello({ name, ...(token ? { token } : {}), ...hello });
  if (agentToken) tokens.set(name, agentToken);
  return client;
}

const send = (from: RawClient, to: string, content: string, more: Partial<OperationInput<'SEND'>> = {}) =>
  from.request('SEND', { to: to === '*' ? to : named(to), content, ...more });
const unread = async (client: RawClient) =>
  (await client.request('INBOX', { limit: 500 })).messages.map(({ content }) => content);

async function traceOf(by: RawClient, id: string): Promise<DeliveryTrace> {
  const { deliveries } = await by.request('TRACE', { id });
  return deliveries[0] as DeliveryTrace;
}

const eventType = ({ payload }: Envelope) => (payload as { type: string }).type;

describe('a message in transit', () => {
  it('is stored, accepted, read and acked, each only when it is observed', async () => {
    const alice = await join('alice');
    const bob = await join('bob');
    const { messageId, seq } = await send(alice, 'bob', 'Hi.');
    const state = async () => (await traceOf(alice, messageId)).state;
    await bob.deliveries(1);
    expect(await state()).toBe('stored');
    bob.send('ACK', { upTo: seq });
    await bob.settled();
    expect(await state()).toBe('accepted');
    for (const next of ['read', 'acked'] as const) {
      await bob.request('ACK', { messages: [messageId], state: next });
      expect(await state()).toBe(next);
    }
    const { transitions } = await traceOf(alice, messageId);
    expect(transitions.map((one) => one.state)).toEqual(['stored', 'accepted', 'read', 'acked']);
    const times = transitions.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it("is delivered into another program's context: claimed, injected, turn started", async () => {
    const alice = await join('alice');
    const host = await join('bob', { paths: ['pty'], receiver: 'host' });
    const { messageId } = await send(alice, 'bob', 'Hi.');
    await host.next((one) => one.type === 'EVENT' && eventType(one) === 'mail.claimable');
    const { messages } = await host.request('CLAIM', { path: 'pty' });
    expect(messages).toMatchObject([{ id: messageId, content: 'Hi.' }]);
    expect(await traceOf(alice, messageId)).toMatchObject({ state: 'accepted', reason: { code: 'claimed' } });
    for (const state of ['injected', 'turn_started'] as const) {
      await host.request('REPORT', { path: 'pty', messages: [messageId], state });
      expect(await traceOf(alice, messageId)).toMatchObject({ state, path: 'pty' });
    }
    expect(await host.request('INBOX', {})).toEqual({ messages: [], unread: 0 });
  });

  it('says why it waits', async () => {
    const alice = await join('alice');
    const bob = await join('bob');
    const { messageId } = await send(alice, 'bob', 'Hi.');
    expect(await traceOf(alice, messageId)).toMatchObject({ reason: { code: 'not_taken' } });
    await bob.end();
    await join('bob', { paths: [] });
    expect(await traceOf(alice, messageId)).toMatchObject({
      reason: { code: 'no_wake_path' },
    });
  });

  it('for an offline recipient is kept, and pushed in order when it returns', async () => {
    const alice = await join('alice');
    await (await join('bob')).end();
    const sent = await send(alice, 'bob', 'one');
    expect(sent).toMatchObject({ online: 0, offline: [named('bob')] });
    expect(await traceOf(alice, sent.messageId)).toMatchObject({
      state: 'stored',
      reason: { code: 'offline' },
    });
    await send(alice, 'bob', 'two');
    const bob = await join('bob');
    await send(alice, 'bob', 'three');
    expect((await bob.deliveries(3)).map(({ content }) => content)).toEqual(['one', 'two', 'three']);
  });

  it('that has expired is not delivered', async () => {
    const alice = await join('alice');
    await (await join('bob')).end();
    // Long enough for a slow machine to store it before.
    const expiresAt = Date.now() + 2000;
    const { messageId } = await send(alice, 'bob', 'too late', { expiresAt });
    const later = await send(alice, 'bob', 'in time');
    await expect.poll(() => Date.now()).toBeGreaterThan(expiresAt);
    const bob = await join('bob');
    expect(await bob.deliveries(1)).toMatchObject([{ content: 'in time' }]);
    bob.send('ACK', { upTo: later.seq });
    await bob.settled();
    expect(await traceOf(alice, messageId)).toMatchObject({ state: 'stored', reason: { code: 'expired' } });
  });
});

describe('a broadcast', () => {
  it('reaches everybody except its sender, and offline agents when they return', async () => {
    const alice = await join('alice');
    const bob = await join('bob');
    await (await join('carol')).end();
    const { messageId } = await send(alice, '*', `all ${round}`);
    expect(await bob.deliveries(1)).toMatchObject([{ content: `all ${round}`, to: '*' }]);
    const carol = await join('carol');
    expect(await carol.deliveries(1)).toMatchObject([{ id: messageId }]);
    expect(await unread(alice)).toEqual([]);
    const { deliveries } = await alice.request('TRACE', { id: messageId });
    const recipients = deliveries.map(({ recipient }) => recipient);
    expect(recipients).toEqual(expect.arrayContaining([named('bob'), named('carol')]));
    expect(recipients).not.toContain(named('alice'));
  });
});

describe.each([
  ['stopped and started', () => daemon.stop()],
  ['killed and started', () => daemon.kill9()],
] as const)('when the daemon is %s', (_how, end) => {
  it('unread messages stay unread, read ones stay read, in the same order', async () => {
    const alice = await join('alice');
    const bob = await join('bob');
    const sent = [];
    for (const content of ['one', 'two', 'three', 'four']) sent.push(await send(alice, 'bob', content));
    const [first, second] = sent;
    await bob.request('ACK', { messages: [first?.messageId ?? ''], state: 'read' });
    await bob.request('ACK', { messages: [second?.messageId ?? ''], state: 'acked' });
    const before = await traceOf(alice, second?.messageId ?? '');
    await end();
    await daemon.start();
    const again = await join('bob');
    expect(await unread(again)).toEqual(['three', 'four']);
    expect((await again.deliveries(2)).map(({ seq }) => seq)).toEqual(sent.slice(2).map(({ seq }) => seq));
    expect(await traceOf(await join('alice'), second?.messageId ?? '')).toEqual(before);
  });

  it('a client continues where it was, without loss or repetition', async () => {
    const alice = await join('alice');
    const bob = await join('bob');
    const sent = await Promise.all(Array.from({ length: 20 }, (_, i) => send(alice, 'bob', `${i}`)));
    await bob.deliveries(20);
    await end();
    await daemon.start();
    const again = await join('bob', { resumeAfter: sent[11]?.seq });
    expect((await again.deliveries(8)).map(({ content }) => Number(content))).toEqual([
      12, 13, 14, 15, 16, 17, 18, 19,
    ]);
    const repeated = await (await join('alice')).request(
      'SEND',
      { to: named('bob'), content: 'new' },
      'again',
    );
    expect((await again.deliveries(1))[0]?.seq).toBe(repeated.seq);
  });

  it('a send repeated with its id is still the same message', async () => {
    const alice = await join('alice');
    await join('bob');
    const message = { to: named('bob'), content: 'Once.' };
    const first = await alice.request('SEND', message, 'once');
    await end();
    await daemon.start();
    const second = await (await join('alice')).request('SEND', message, 'once');
    expect(second).toMatchObject({ messageId: first.messageId, seq: first.seq, duplicate: true });
  });
});
