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

const inbox = async (params = {}) =>
  (await bob.request('INBOX', params)).messages.map(({ content }) => content);

describe('an inbox', () => {
  it('shows the oldest unread messages, ten by default, and their total', async () => {
    for (let i = 0; i < 12; i++) await alice.send('Bob', `${i}`);
    const page = await bob.request('INBOX', {});
    expect(page.unread).toBe(12);
    expect(page.messages.map(({ content }) => content)).toEqual(Array.from({ length: 10 }, (_, i) => `${i}`));
    expect(await inbox({ after: page.messages.at(-1)?.seq })).toEqual(['10', '11']);
    expect(await inbox({ limit: 2 })).toEqual(['0', '1']);
  });

  it('does not mark messages as read', async () => {
    await alice.send('Bob', 'Hi.');
    await inbox();
    expect(await inbox()).toEqual(['Hi.']);
  });

  it('shows read messages only on request: the newest, with the time of reading', async () => {
    const read = await alice.send('Bob', 'Read.');
    await alice.send('Bob', 'Unread.');
    await bob.request('ACK', { messages: [read.messageId], state: 'read' });
    expect(await inbox()).toEqual(['Unread.']);
    const { messages, unread } = await bob.request('INBOX', { unread_only: false });
    expect(unread).toBe(1);
    expect(messages.map(({ content, readAt }) => [content, readAt])).toEqual([
      ['Read.', core.clock.now()],
      ['Unread.', undefined],
    ]);
    expect(await inbox({ unread_only: false, limit: 1 })).toEqual(['Unread.']);
  });

  it('can be filtered by sender', async () => {
    const carol = await core.join(bob.principal.workspace, 'Carol');
    await alice.send('Bob', 'From Alice.');
    await carol.send('Bob', 'From Carol.');
    expect(await inbox({ from: 'carol' })).toEqual(['From Carol.']);
    await expect(inbox({ from: 'Carl' })).rejects.toMatchObject({ details: { suggestions: ['Carol'] } });
  });

  it('has no channels if there are none', async () => {
    await expect(inbox({ channel: '#build' })).rejects.toMatchObject({ code: 'ChannelNotFound' });
  });

  it('drops what has expired', async () => {
    await alice.send('Bob', 'Short.', { expiresAt: core.clock.now() + 10 });
    core.clock.advance(10);
    expect(await inbox()).toEqual(['Short.']);
    core.clock.advance(1);
    expect(await bob.request('INBOX', {})).toEqual({ messages: [], unread: 0 });
  });

  it('fits into one frame: a page of long messages ends early, and the next one continues', async () => {
    await Promise.all(
      Array.from({ length: 200 }, (_, i) => alice.send('Bob', `${i}${'\u0001'.repeat(900)}`)),
    );
    const seqs: number[] = [];
    let pages = 0;
    for (let after = 0; seqs.length < 200; pages++) {
      const page = await bob.request('INBOX', { limit: 500, after });
      expect(JSON.stringify(page).length).toBeLessThan(600 * 1024);
      seqs.push(...page.messages.map(({ seq }) => seq));
      after = seqs.at(-1) ?? 0;
    }
    expect(pages).toBe(3);
    expect(seqs).toEqual(bob.delivered.map(({ seq }) => seq));
    const newest = (await bob.request('INBOX', { limit: 500, unread_only: false })).messages;
    expect(newest).toMatchObject(bob.delivered.slice(-newest.length));
  });

  it('belongs to an agent', async () => {
    const owner = core.owner(bob.principal.workspace);
    await expect(owner.request('INBOX', {})).rejects.toMatchObject({ code: 'AgentNameRequired' });
  });
});

describe('the trace of a message', () => {
  it('is shown to its sender, its recipients and the owner', async () => {
    const { messageId } = await alice.send('Bob', 'Hi.');
    for (const reader of [alice, bob, core.owner(alice.principal.workspace)]) {
      expect(await reader.request('TRACE', { id: messageId })).toMatchObject({
        message: { id: messageId, from: 'Alice', to: 'Bob', content: 'Hi.' },
        deliveries: [{ recipient: 'Bob' }],
      });
    }
  });

  it('does not reveal to others that the message exists', async () => {
    const carol = await core.join(alice.principal.workspace, 'Carol');
    const elsewhere = await core.join(await core.newWorkspace(), 'Alice');
    const { messageId } = await alice.send('Bob', 'Secret.');
    for (const reader of [carol, elsewhere, core.owner(elsewhere.principal.workspace)]) {
      await expect(reader.request('TRACE', { id: messageId })).rejects.toMatchObject({
        code: 'MessageNotFound',
        message: `There is no message ${messageId}, or you cannot see it.`,
      });
    }
    await expect(carol.request('TRACE', { id: 'msg_none' })).rejects.toMatchObject({
      code: 'MessageNotFound',
      message: 'There is no message msg_none, or you cannot see it.',
    });
  });

  it('is not shown to a later agent with the name of a removed recipient', async () => {
    const { workspace } = alice.principal;
    const carol = await core.join(workspace, 'Carol', { ephemeral: true });
    const { messageId } = await alice.send('Carol', 'For the first Carol.');
    carol.disconnect();
    core.clock.advance(GONE_AFTER_MS);
    const namesake = await core.join(workspace, 'Carol');
    await expect(namesake.request('TRACE', { id: messageId })).rejects.toMatchObject({
      code: 'MessageNotFound',
    });
    expect((await namesake.request('INBOX', {})).messages).toEqual([]);
  });
});
