import type { Message } from '@agent-relay/protocol';
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

const notFound = { code: 'MessageNotFound' };

describe('a reaction', () => {
  it('is shown with the message: each emoji once, with its agents, in the order of first use', async () => {
    const { messageId: message } = await alice.send('#general', 'Released!');
    await bob.request('REACT', { message, emoji: '🎉' });
    core.clock.advance(1);
    await carol.request('REACT', { message, emoji: ':eyes:' });
    core.clock.advance(1);
    const { reactions } = await carol.request('REACT', { message, emoji: '🎉' });
    expect(reactions).toEqual([
      { emoji: '🎉', agents: ['Bob', 'Carol'] },
      { emoji: ':eyes:', agents: ['Carol'] },
    ]);
    expect(await bob.request('REACT', { message, emoji: '🎉' })).toEqual({ reactions });
    expect((await alice.request('HISTORY', {})).messages).toMatchObject([{ reactions }]);
    expect((await alice.request('THREAD', { id: message })).messages).toMatchObject([{ reactions }]);
  });

  it('can be removed', async () => {
    const { messageId: message } = await alice.send('Bob', 'Released!');
    await bob.request('REACT', { message, emoji: '🎉' });
    await alice.request('REACT', { message, emoji: '🎉' });
    expect(await bob.request('REACT', { message, emoji: '🎉', remove: true })).toEqual({
      reactions: [{ emoji: '🎉', agents: ['Alice'] }],
    });
    expect(await bob.request('REACT', { message, emoji: '🎉', remove: true })).toMatchObject({
      reactions: [{}],
    });
  });

  it('survives a restart', async () => {
    const { messageId: message } = await alice.send('Bob', 'Released!');
    await bob.request('REACT', { message, emoji: '👩‍💻' });
    await core.restart();
    const back = await core.join(workspace, 'Alice', { token: alice.token });
    expect((await back.request('HISTORY', {})).messages).toMatchObject([
      { reactions: [{ emoji: '👩‍💻', agents: ['Bob'] }] },
    ]);
  });

  it('is announced once to sender, recipients and owner, if they watch', async () => {
    for (const watcher of [alice, bob, carol, owner]) await watcher.request('WATCH', {});
    const { messageId } = await alice.send('Bob', 'Released!');
    for (let i = 0; i < 2; i++) await bob.request('REACT', { message: messageId, emoji: '🎉' });
    await bob.request('REACT', { message: messageId, emoji: '🎉', remove: true });
    const events = ['reaction.added', 'reaction.removed'].map((type) => ({
      type,
      messageId,
      emoji: '🎉',
      agent: 'Bob',
    }));
    expect([alice.events, bob.events, carol.events, owner.events]).toEqual([events, events, [], events]);
  });

  it.each(['x', ':)', '🎉🎉', '::', '', ':Eyes:', ' 🎉'])('is not %j', async (emoji) => {
    const { messageId: message } = await alice.send('Bob', 'Released!');
    await expect(bob.request('REACT', { message, emoji })).rejects.toMatchObject({ code: 'InvalidRequest' });
  });

  it('to an invisible message is refused like one to a missing message', async () => {
    const { messageId } = await alice.send('Bob', 'Secret.');
    for (const message of [messageId, 'msg_none'])
      await expect(carol.request('REACT', { message, emoji: '👀' })).rejects.toMatchObject(notFound);
  });
});

describe('the readers of a message', () => {
  it('are listed with the time, beside those who have not read it', async () => {
    const { messageId } = await alice.send('#general', 'Read me.');
    core.clock.advance(5);
    await bob.request('ACK', { messages: [messageId], state: 'read' });
    expect(await carol.request('READERS', { message: messageId })).toEqual({
      readers: [{ agent: 'Bob', at: core.clock.now() }],
      unread: ['Carol'],
    });
  });

  it('are reported to its sender once each, with the time it took', async () => {
    await alice.request('WATCH', {});
    const { messageId } = await alice.send('Bob', 'Read me.');
    core.clock.advance(1500);
    for (const state of ['read', 'read', 'acked', 'acked'] as const)
      await bob.request('ACK', { messages: [messageId], state });
    expect(alice.events).toEqual([
      { type: 'delivery.read', messageId, agent: 'Bob', afterMs: 1500 },
      { type: 'delivery.acked', messageId, agent: 'Bob', afterMs: 1500 },
    ]);
  });

  it('are visible to everybody who can see the message', async () => {
    const { messageId } = await alice.send('Bob', 'Secret.');
    for (const reader of [alice, bob, owner]) await reader.request('READERS', { message: messageId });
    await expect(carol.request('READERS', { message: messageId })).rejects.toMatchObject(notFound);
  });
});

describe('a redacted message', () => {
  const KEY = 'sk-canary-4711';
  let id: string;

  beforeEach(async () => {
    id = (await alice.send('#general', `The key is ${KEY}, @Bob`)).messageId;
  });

  it('is empty for everybody, and keeps its place', async () => {
    await alice.request('REDACT', { message: id, reason: 'leaked a key' });
    const shown = await Promise.all(
      [alice, bob, carol, owner].flatMap((reader) => [
        reader.request('HISTORY', {}),
        reader.request('THREAD', { id }),
        reader.request('TRACE', { id }),
        reader.request('SEARCH', { query: 'key' }),
      ]),
    );
    expect(JSON.stringify(shown)).not.toContain(KEY);
    const { messages } = await bob.request('INBOX', {});
    expect(messages).toMatchObject([{ id, content: '', redacted: true }]);
    expect(messages[0]).not.toHaveProperty('mentions');
    expect((await bob.request('INBOX', { mentions: true })).messages).toEqual([]);
    expect((await bob.request('SEARCH', { query: KEY })).hits).toEqual([]);
  });

  it('is announced once to those it concerns', async () => {
    await bob.request('WATCH', {});
    await alice.request('REDACT', { message: id });
    await owner.request('REDACT', { message: id });
    expect(bob.events).toEqual([{ type: 'message.redacted', messageId: id }]);
  });

  it('is in the audit log with the reason, without its content', async () => {
    await alice.request('REDACT', { message: id, reason: 'leaked' });
    await alice.request('REDACT', { message: id, reason: 'again' });
    const { entries } = await owner.request('AUDIT', {});
    expect(entries.filter(({ action }) => action === 'message.redacted')).toEqual([
      {
        at: core.clock.now(),
        actor: 'Alice',
        action: 'message.redacted',
        subject: id,
        detail: { reason: 'leaked' },
      },
    ]);
    expect(JSON.stringify(entries)).not.toContain(KEY);
  });

  it('can be redacted by its sender or the owner only', async () => {
    await expect(bob.request('REDACT', { message: id })).rejects.toMatchObject({ code: 'Forbidden' });
    const { messageId: direct } = await alice.send('Bob', 'For Bob.');
    await expect(carol.request('REDACT', { message: direct })).rejects.toMatchObject(notFound);
    await owner.request('REDACT', { message: id });
    expect((await bob.request('HISTORY', {})).messages[0]).toMatchObject({ redacted: true });
  });

  it('loses its files, unless another message has them', async () => {
    const finish = {
      name: 'key.txt',
      sha256: '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881',
    };
    const data = Buffer.from('x').toString('base64');
    const attach = async (upload: string) =>
      (await alice.request('ATTACH', { upload, offset: 0, data, finish })).attachment?.id ?? '';
    const [lost, kept] = [await attach('u1'), await attach('u2')];
    const { messageId } = await alice.send('Bob', 'Files.', { attachments: [lost, kept] });
    await alice.send('Bob', 'One of them again.', { attachments: [kept] });
    await alice.request('REDACT', { message: messageId });
    expect((await bob.request('HISTORY', { thread: undefined })).messages.at(-2)).not.toHaveProperty(
      'attachments',
    );
    await expect(bob.request('FETCH', { attachment: lost })).rejects.toMatchObject({
      code: 'AttachmentNotFound',
    });
    expect(await bob.request('FETCH', { attachment: kept })).toMatchObject({ data, done: true });
  });

  it('can still be answered, reacted to and read', async () => {
    await alice.request('REDACT', { message: id });
    await bob.reply(id, 'What was that?');
    await bob.request('REACT', { message: id, emoji: '🤔' });
    await bob.request('ACK', { messages: [id], state: 'read' });
    expect((await alice.request('THREAD', { id })).messages).toMatchObject([
      { content: '', reactions: [{ emoji: '🤔' }] },
      { content: 'What was that?' },
    ]);
  });
});

describe('a message that expires', () => {
  it('leaves every inbox, but stays in the history', async () => {
    await alice.send('#general', 'Lunch at noon.', { expiresAt: core.clock.now() + 1000 });
    core.clock.advance(1001);
    expect(await bob.request('INBOX', {})).toEqual({ messages: [], unread: 0 });
    expect((await bob.request('HISTORY', {})).messages).toHaveLength(1);
    expect((await alice.request('HISTORY', {})).messages).toMatchObject([
      { expiresAt: core.clock.now() - 1 },
    ]);
  });

  it('cannot expire before it is sent', async () => {
    const late = alice.send('Bob', 'Too late.', { expiresAt: core.clock.now() });
    await expect(late).rejects.toMatchObject({ code: 'InvalidRequest', details: { field: 'expiresAt' } });
  });
});

describe('a question to a person', () => {
  let asked: Array<{ message: Message; workspaceId: number }>;
  let ann: Participant;

  beforeEach(async () => {
    asked = [];
    core.relay.messages.onQuestion = (message, workspaceId) => asked.push({ message, workspaceId });
    ann = await core.join(workspace, 'Ann', { type: 'human' });
  });

  it('notifies the person, if it is marked as a question or its answer is awaited', async () => {
    await alice.send('Ann', 'Deploy?', { kind: 'question' });
    await alice.ask('Ann');
    await alice.send(['Ann', 'Bob'], 'Anyone?', { kind: 'question' });
    expect(asked.map(({ message }) => message)).toEqual(ann.delivered);
    expect(asked).toMatchObject(Array(3).fill({ workspaceId: workspace.id }));
  });

  it('excludes statements, questions between agents, questions of a person, and repetitions', async () => {
    const pete = await core.join(workspace, 'Pete', { type: 'human' });
    await alice.send('Ann', 'Deployed.', { kind: 'status' });
    await alice.send('Ann', 'By the way…');
    await alice.send('Bob', 'Ready?', { kind: 'question' });
    await alice.ask('Bob');
    await pete.send('Ann', 'Lunch?', { kind: 'question' });
    expect(asked).toEqual([]);
    await alice.send('Ann', 'Deploy?', { kind: 'question' }, 'my-id');
    await alice.send('Ann', 'Deploy?', { kind: 'question' }, 'my-id');
    expect(asked).toHaveLength(1);
  });
});
