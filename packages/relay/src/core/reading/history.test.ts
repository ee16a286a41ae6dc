import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';
import type { Workspace } from '../ports/store/workspaces.ts';

let core: TestCore;
let workspace: Workspace;
let owner: Participant;
let alice: Participant;
let bob: Participant;
let carol: Participant;

beforeAll(async () => {
  core = await openCore();
});
afterAll(() => core[Symbol.asyncDispose]());
beforeEach(async () => {
  workspace = await core.newWorkspace();
  owner = core.owner(workspace);
  alice = await core.join(workspace, 'Alice');
  bob = await core.join(workspace, 'Bob');
  carol = await core.join(workspace, 'Carol');
});

type Filters = Parameters<typeof alice.request<'HISTORY'>>[1];
const history = async (reader: Participant, filters: Filters = {}) =>
  (await reader.request('HISTORY', filters)).messages.map(({ content }) => content);

describe('the history an agent sees', () => {
  it('has what it sent, what it got, and what is in its channels', async () => {
    await alice.request('CHANNEL_CREATE', { name: 'build' });
    await carol.request('CHANNEL_CREATE', { name: 'private' });
    await alice.send('Bob', 'to Bob');
    await alice.send(['Bob', 'Carol'], 'to a group');
    await alice.send('#build', 'in #build');
    await carol.send('#private', 'in #private');
    await carol.send('Bob', 'Carol to Bob');
    await alice.send('#general', 'in #general');
    await carol.send('*', 'to all');
    expect(await history(alice)).toEqual(['to Bob', 'to a group', 'in #build', 'in #general', 'to all']);
    expect(await history(bob)).toEqual(['to Bob', 'to a group', 'Carol to Bob', 'in #general', 'to all']);
    expect(await history(owner)).toHaveLength(7);
  });

  it('has a whole channel while it is a member, and what it got there after it left', async () => {
    await alice.request('CHANNEL_CREATE', { name: 'build' });
    await alice.send('#build', 'before');
    await bob.request('CHANNEL_JOIN', { channel: 'build' });
    await alice.send('#build', 'meanwhile');
    expect(await history(bob, { channel: 'build' })).toEqual(['before', 'meanwhile']);
    await bob.request('CHANNEL_LEAVE', { channel: 'build' });
    await alice.send('#build', 'after');
    await expect(history(bob, { channel: 'build' })).rejects.toMatchObject({ code: 'NotAMember' });
    expect(await history(bob)).toEqual(['meanwhile']);
    expect(await history(owner, { channel: 'build' })).toEqual(['before', 'meanwhile', 'after']);
  });

  it('is not visible to a later agent of its name', async () => {
    await alice.send('Bob', 'For the first Bob.');
    await owner.request('AGENT_REMOVE', { agent: 'Bob' });
    const namesake = await core.join(workspace, 'Bob');
    expect(await history(namesake)).toEqual([]);
  });

  it('needs an agent, or the owner of the project', async () => {
    const remote = Object.assign(core.owner(workspace), {
      principal: { workspace, agent: undefined, local: false, keyId: '12345678' },
    });
    for (const attempt of [
      remote.request('HISTORY', {}),
      remote.request('SEARCH', { query: 'x' }),
      remote.request('THREAD', { id: 'x' }),
      remote.request('HISTORY', { channel: 'general' }),
    ])
      await expect(attempt).rejects.toMatchObject({ code: 'AgentNameRequired' });
  });
});

describe('history', () => {
  it('can be filtered by agent, channel, thread, kind, time, and all of them', async () => {
    await alice.request('CHANNEL_CREATE', { name: 'build' });
    await bob.request('CHANNEL_JOIN', { channel: 'build' });
    await alice.send('Bob', 'one', { thread: 't1' });
    await carol.send('Bob', 'two', { kind: 'question' });
    core.clock.advance(1000);
    const since = core.clock.now();
    await bob.send('#build', 'three', { thread: 't1' });
    await alice.send('#build', 'four');
    expect(await history(bob, { agent: 'Alice' })).toEqual(['one', 'three', 'four']);
    expect(await history(bob, { agent: 'carol' })).toEqual(['two']);
    expect(await history(bob, { channel: '#build' })).toEqual(['three', 'four']);
    expect(await history(bob, { thread: 't1' })).toEqual(['one', 'three']);
    expect(await history(bob, { kind: 'question' })).toEqual(['two']);
    expect(await history(bob, { agent: 'Alice', kind: 'question' })).toEqual([]);
    expect(await history(bob, { since })).toEqual(['three', 'four']);
    expect(await history(bob, { since: since + 1 })).toEqual([]);
    expect(await history(bob, { agent: 'Alice', channel: 'build', thread: 't1', since })).toEqual(['three']);
    expect(await history(owner, { agent: 'Carol' })).toEqual(['two']);
    await expect(history(bob, { agent: 'Carl' })).rejects.toMatchObject({ code: 'AgentNotFound' });
  });

  it('shows of another agent only what the reader can see', async () => {
    await alice.send('Carol', 'not for Bob');
    await alice.send('Bob', 'for Bob');
    expect(await history(bob, { agent: 'Alice' })).toEqual(['for Bob']);
    expect(await history(bob, { thread: 't1' })).toEqual([]);
  });

  it('goes back from the newest, page by page, without gaps or repetitions', async () => {
    for (let i = 0; i < 25; i++) await alice.send('Bob', `${i}`);
    const pages: string[][] = [];
    let before: number | undefined;
    for (let more = true; more; ) {
      const cursor = before === undefined ? {} : { before };
      const page = await bob.request('HISTORY', { limit: 10, ...cursor });
      pages.push(page.messages.map(({ content }) => content));
      before = page.messages[0]?.seq;
      more = page.more;
    }
    const numbers = Array.from({ length: 25 }, (_, i) => `${i}`);
    expect(pages).toEqual([numbers.slice(15), numbers.slice(5, 15), numbers.slice(0, 5)]);
  });

  it('is followed forward from a cursor', async () => {
    const first = await alice.send('Bob', '0');
    for (let i = 1; i < 25; i++) await alice.send('Bob', `${i}`);
    const page = await bob.request('HISTORY', { limit: 10, after: first.seq });
    expect([page.messages[0]?.content, page.messages.at(-1)?.content, page.more]).toEqual(['1', '10', true]);
    const last = await bob.request('HISTORY', { limit: 10, after: (page.messages.at(-1)?.seq ?? 0) + 5 });
    expect([last.messages[0]?.content, last.messages.at(-1)?.content, last.more]).toEqual([
      '16',
      '24',
      false,
    ]);
    const between = { after: first.seq, before: first.seq + 4, limit: 2 };
    expect(await bob.request('HISTORY', between)).toMatchObject({
      messages: [{ content: '2' }, { content: '3' }],
      more: true,
    });
  });

  it('says that there is more if a page of long messages does not fit into one frame', async () => {
    await Promise.all(
      Array.from({ length: 150 }, (_, i) => alice.send('Bob', `${i}${'\u0001'.repeat(900)}`)),
    );
    const newest = await bob.request('HISTORY', { limit: 500 });
    expect(newest.more).toBe(true);
    expect(newest.messages).toEqual(bob.delivered.slice(-newest.messages.length));
    const oldest = await bob.request('HISTORY', { limit: 500, after: 0 });
    expect(oldest.more).toBe(true);
    expect(oldest.messages).toEqual(bob.delivered.slice(0, oldest.messages.length));
  });
});

describe('a thread', () => {
  it('starts with its first message, found by any of its messages or its name', async () => {
    const root = await alice.send('Bob', 'root');
    const reply = await bob.reply(root.messageId, 'reply');
    await alice.send('Bob', 'something else');
    await alice.reply(reply.messageId, 'answer');
    for (const id of [root.messageId, reply.messageId]) {
      const { thread, messages, more } = await bob.request('THREAD', { id });
      expect([thread, more]).toEqual([root.messageId, false]);
      expect(messages.map(({ content }) => content)).toEqual(['root', 'reply', 'answer']);
    }
    await alice.send('Bob', 'planned', { thread: 'release-7' });
    expect(await bob.request('THREAD', { id: 'release-7' })).toMatchObject({
      messages: [{ content: 'planned' }],
    });
  });

  it('may end a page early, and says so', async () => {
    const { messageId: id } = await alice.send('Bob', '0');
    for (let i = 1; i < 5; i++) await alice.reply(id, `${i}`);
    const { messages, more } = await bob.request('THREAD', { id, limit: 3 });
    expect([messages.map(({ content }) => content), more]).toEqual([['0', '1', '2'], true]);
    expect(await bob.request('THREAD', { id, limit: 5 })).toMatchObject({ more: false });
  });

  it('shows each reader only what it can see, without a hint of more', async () => {
    const { messageId: id } = await alice.send('Bob', 'between us');
    await bob.reply(id, 'Carol should know', { to: 'Carol' });
    const part = await carol.request('THREAD', { id });
    expect(part.messages.map(({ content }) => content)).toEqual(['Carol should know']);
    const dave = await core.join(workspace, 'Dave');
    for (const unknown of [id, 'msg_none']) {
      await expect(dave.request('THREAD', { id: unknown })).rejects.toMatchObject({
        code: 'MessageNotFound',
        message: `There is no thread or message ${unknown}, or you cannot see it.`,
      });
    }
  });
});

describe('the history of one conversation', () => {
  const said = async (reader: Participant, participants: string[]) =>
    (await reader.request('HISTORY', { participants })).messages.map(({ content }) => content);

  it('has the messages of exactly its participants that the reader can see', async () => {
    await alice.send('Bob', 'between us');
    await alice.send(['Bob', 'Carol'], 'to both');
    await alice.send('#general', 'to all');
    await alice.send('Alice', 'to myself');
    await bob.send('Alice', 'an answer');
    expect(await said(alice, ['Bob', 'alice'])).toEqual(['between us', 'an answer']);
    expect(await said(bob, ['Alice', 'Bob', 'Carol'])).toEqual(['to both']);
    expect(await said(alice, ['Alice'])).toEqual(['to myself']);
    expect(await said(core.owner(workspace), ['Alice', 'Bob'])).toEqual(['between us', 'an answer']);
    expect(await said(carol, ['Alice', 'Bob'])).toEqual([]);
    expect(await said(carol, ['Bob', 'Carol'])).toEqual([]);
  });

  it('is separate from channels', async () => {
    const wrong = { participants: ['Bob'], channel: '#general' };
    await expect(alice.request('HISTORY', wrong)).rejects.toMatchObject({ code: 'InvalidRequest' });
    await expect(alice.request('HISTORY', { participants: ['Nobody'] })).rejects.toMatchObject({
      code: 'AgentNotFound',
    });
  });
});

describe('the conversations of an agent', () => {
  it('are its direct and group ones, latest first, with unread counts', async () => {
    await alice.send('Bob', 'one');
    await bob.send('Alice', 'two');
    await carol.send('Bob', 'three');
    await alice.send(['Bob', 'Carol'], 'four');
    await alice.send('#general', 'not a direct one');
    await alice.send('*', 'nor this');
    await alice.send('Bob', 'five');
    const { conversations } = await bob.request('CONVERSATIONS', {});
    expect(
      conversations.map(({ kind, participants, last, unread }) => [kind, participants, last.content, unread]),
    ).toEqual([
      ['dm', ['Alice'], 'five', 2],
      ['group', ['Alice', 'Carol'], 'four', 1],
      ['dm', ['Carol'], 'three', 1],
    ]);
    expect((await bob.request('CONVERSATIONS', { limit: 1 })).conversations).toHaveLength(1);
  });

  it('count as unread what is unread and has not expired', async () => {
    const { messageId } = await alice.send('Bob', 'read');
    await alice.send('Bob', 'brief', { expiresAt: core.clock.now() + 10 });
    await alice.send('Bob', 'unread');
    await bob.request('ACK', { messages: [messageId], state: 'read' });
    core.clock.advance(11);
    expect((await bob.request('CONVERSATIONS', {})).conversations).toMatchObject([{ unread: 1 }]);
    expect((await alice.request('CONVERSATIONS', {})).conversations).toMatchObject([{ unread: 0 }]);
  });

  it('keep the right counts after a restart', async () => {
    const { messageId } = await alice.send('Bob', 'one');
    await alice.send('Bob', 'two');
    await bob.request('ACK', { messages: [messageId], state: 'read' });
    await core.restart();
    const back = await core.join(workspace, 'Bob', { token: bob.token });
    expect((await back.request('CONVERSATIONS', {})).conversations).toMatchObject([
      { participants: ['Alice'], unread: 1, last: { content: 'two' } },
    ]);
    expect((await back.request('INBOX', {})).unread).toBe(1);
  });
});
