import { type DeliveryState, REASONS, type ReasonCode } from '@agent-relay/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GONE_AFTER_MS, openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';

let core: TestCore;
let alice: Participant;
let bob: Participant;

beforeAll(async () => {
  core = await openCore();
});
afterAll(() => core[Symbol.asyncDispose]());
beforeEach(async () => {
  const workspace = await core.newWorkspace();
  alice = await core.join(workspace, 'Alice');
  bob = await core.join(workspace, 'Bob');
});

const trace = async (id: string, by = alice) => (await by.request('TRACE', { id })).deliveries;
const report = (participant: Participant, state: 'read' | 'acked', ...messages: string[]) =>
  participant.request('ACK', { messages, state });

describe('the state of a delivery', () => {
  it('goes from stored to acked as each step is observed, with its time', async () => {
    const start = core.clock.now();
    const { messageId, seq } = await alice.send('Bob', 'Hi.');
    const steps: Array<[DeliveryState, () => Promise<unknown>]> = [
      ['accepted', () => bob.request('ACK', { upTo: seq })],
      ['read', () => report(bob, 'read', messageId)],
      ['acked', () => report(bob, 'acked', messageId)],
    ];
    const seen = [{ state: 'stored', at: start }];
    expect(await trace(messageId)).toMatchObject([{ recipient: 'Bob', state: 'stored', transitions: seen }]);
    for (const [state, observe] of steps) {
      core.clock.advance(10);
      await observe();
      seen.push({ state, at: core.clock.now() });
      expect(await trace(messageId)).toMatchObject([{ state, transitions: seen }]);
    }
  });

  it('keeps the first time of each step', async () => {
    const { messageId } = await alice.send('Bob', 'Hi.');
    expect(await report(bob, 'read', messageId)).toEqual({ changed: 1 });
    const [first] = await trace(messageId);
    core.clock.advance(1000);
    expect(await report(bob, 'read', messageId)).toEqual({ changed: 0 });
    expect(await trace(messageId)).toEqual([first]);
  });

  it('of an acked message includes read', async () => {
    const { messageId } = await alice.send('Bob', 'Hi.');
    await report(bob, 'acked', messageId);
    expect((await bob.request('INBOX', {})).messages).toEqual([]);
    const [delivery] = await trace(messageId);
    expect(delivery?.transitions.map(({ state }) => state)).toEqual(['stored', 'read', 'acked']);
  });

  it('read and what came before survive a restart', async () => {
    const { messageId, seq } = await alice.send('Bob', 'Hi.');
    const unread = await alice.send('Bob', 'Still unread.');
    await bob.request('ACK', { upTo: seq });
    await report(bob, 'read', messageId);
    const before = await trace(messageId);
    await core.restart();
    const owner = core.owner(alice.principal.workspace);
    expect(await trace(messageId, owner)).toEqual(before);
    expect(await trace(unread.messageId, owner)).toMatchObject([
      { state: 'stored', reason: { code: 'offline' } },
    ]);
  });

  it('names the path that was observed', async () => {
    const { messageId, seq } = await alice.send('Bob', 'Hi.');
    expect((await trace(messageId))[0]?.transitions[0]).not.toHaveProperty('path');
    await bob.request('ACK', { upTo: seq });
    expect(await trace(messageId)).toMatchObject([{ path: 'push' }]);
    await bob.request('ACK', { messages: [messageId], state: 'read', path: 'pull' });
    expect((await trace(messageId))[0]?.transitions.map(({ state, path }) => [state, path])).toEqual([
      ['stored', undefined],
      ['accepted', 'push'],
      ['read', 'pull'],
    ]);
    const pulled = await alice.send('Bob', 'Pulled.');
    await bob.request('ACK', { messages: [pulled.messageId], state: 'read', path: 'pull' });
    expect(await trace(pulled.messageId)).toMatchObject([{ state: 'read', path: 'pull' }]);
  });
});

describe('a state is never overstated', () => {
  it('a client cannot accept what it was not sent', async () => {
    await bob.request('RECEIVE', { paths: [] });
    const { messageId } = await alice.send('Bob', 'Hi.');
    await bob.request('ACK', { upTo: 1_000_000_000 });
    expect(await trace(messageId)).toMatchObject([{ state: 'stored' }]);
  });

  it('accepting one message does not accept later ones', async () => {
    const first = await alice.send('Bob', 'One.');
    const second = await alice.send('Bob', 'Two.');
    await bob.request('ACK', { upTo: first.seq });
    expect(await trace(first.messageId)).toMatchObject([{ state: 'accepted' }]);
    expect(await trace(second.messageId)).toMatchObject([{ state: 'stored' }]);
  });

  it('accepting later messages does not accept one that had expired', async () => {
    bob.disconnect();
    const lost = await alice.send('Bob', 'Soon over.', { expiresAt: core.clock.now() + 100 });
    core.clock.advance(101);
    const back = bob.again();
    await back.listening();
    const later = await alice.send('Bob', 'Later.');
    await back.request('ACK', { upTo: later.seq });
    expect(await trace(lost.messageId)).toMatchObject([{ state: 'stored', reason: { code: 'expired' } }]);
    expect(await trace(later.messageId)).toMatchObject([{ state: 'accepted' }]);
  });

  it('a message is not accepted after it was read', async () => {
    const { messageId, seq } = await alice.send('Bob', 'Hi.');
    await bob.request('ACK', { messages: [messageId], state: 'read', path: 'pull' });
    core.clock.advance(10);
    await bob.request('ACK', { upTo: seq });
    expect((await trace(messageId))[0]?.transitions.map(({ state }) => state)).toEqual(['stored', 'read']);
  });

  it('one recipient of a broadcast does not confirm for another', async () => {
    const carol = await core.join(alice.principal.workspace, 'Carol');
    const { messageId } = await alice.send('*', 'All.');
    await report(carol, 'acked', messageId);
    expect(await trace(messageId)).toMatchObject([
      { recipient: 'Bob', state: 'stored' },
      { recipient: 'Carol', state: 'acked' },
    ]);
  });

  it('many acknowledgements keep the newest exact, and never overstate a message', async () => {
    const sent: Array<{ messageId: string; seq: number }> = [];
    for (let i = 0; i < 600; i++) {
      core.clock.advance(1);
      sent.push(await alice.send('Bob', `${i}`));
      if (i < 599) await bob.request('ACK', { upTo: sent[i]?.seq ?? 0 });
    }
    expect(await trace(sent.at(-1)?.messageId ?? '')).toMatchObject([{ state: 'stored' }]);
    expect(await trace(sent.at(-2)?.messageId ?? '')).toMatchObject([
      { transitions: [{ state: 'stored' }, { state: 'accepted', at: core.clock.now() - 1 }] },
    ]);
    const [first] = await trace(sent[0]?.messageId ?? '');
    expect(first?.transitions[1]?.at).toBeLessThanOrEqual(core.clock.now());
    expect(first?.state).toBe('accepted');
  });
});

describe('why a delivery goes no further', () => {
  it.each<[string, ReasonCode, () => unknown]>([
    ['the recipient is away', 'offline', () => bob.disconnect()],
    ['it has not taken it', 'not_taken', () => undefined],
    ['it takes no deliveries', 'no_wake_path', () => bob.request('RECEIVE', { paths: [] })],
    ['it is only told of mail', 'no_wake_path', () => bob.request('RECEIVE', { paths: [], notify: true })],
    ['its client took it', 'not_read', () => bob.request('ACK', { upTo: bob.delivered[0]?.seq ?? 0 })],
    ['its time is over', 'expired', () => core.clock.advance(1001)],
  ])('is reported when %s', async (_why, code, happens) => {
    const { messageId } = await alice.send('Bob', 'Hi.', { expiresAt: core.clock.now() + 1000 });
    await happens();
    expect(await trace(messageId)).toMatchObject([{ reason: { code, text: REASONS[code] } }]);
  });

  it('is reported when the recipient was removed', async () => {
    const carol = await core.join(alice.principal.workspace, 'Carol', { ephemeral: true });
    carol.disconnect();
    const { messageId } = await alice.send('Carol', 'Hi.');
    core.clock.advance(GONE_AFTER_MS);
    expect(await trace(messageId)).toMatchObject([{ recipient: 'Carol', reason: { code: 'removed' } }]);
  });

  it('is not reported once it was read', async () => {
    const { messageId } = await alice.send('Bob', 'Hi.');
    await report(bob, 'read', messageId);
    bob.disconnect();
    expect((await trace(messageId))[0]).not.toHaveProperty('reason');
  });
});

describe('what a recipient reports', () => {
  it('is refused as a whole if one of the messages was not for it', async () => {
    const carol = await core.join(alice.principal.workspace, 'Carol');
    const mine = await alice.send('Bob', 'For Bob.');
    const hers = await alice.send('Carol', 'For Carol.');
    await expect(report(bob, 'read', mine.messageId, hers.messageId)).rejects.toMatchObject({
      code: 'MessageNotFound',
    });
    expect((await bob.request('INBOX', {})).unread).toBe(1);
    expect((await carol.request('INBOX', {})).unread).toBe(1);
  });

  it('needs an agent', async () => {
    const owner = core.owner(alice.principal.workspace);
    await expect(report(owner, 'read', 'msg_1')).rejects.toMatchObject({ code: 'AgentNameRequired' });
    await expect(owner.request('ACK', { upTo: 1 })).rejects.toMatchObject({ code: 'AgentNameRequired' });
  });
});
