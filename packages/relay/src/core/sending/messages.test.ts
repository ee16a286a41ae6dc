import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MAX_BODY_BYTES, openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';

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

const contents = (participant: Participant) => participant.delivered.map(({ content }) => content);

describe('a message', () => {
  it('reaches its recipient unchanged, with the agent of the connection as its sender', async () => {
    const expiresAt = core.clock.now() + 60_000;
    const { messageId: before } = await bob.send('Alice', 'Hello?');
    const sent = await alice.send('bob', 'Grüße\n\tworld', {
      kind: 'status',
      importance: 'high',
      thread: 't1',
      replyTo: before,
      expiresAt,
    });
    expect(sent).toEqual({
      messageId: expect.stringMatching(/^msg_/),
      seq: expect.any(Number),
      thread: 't1',
      duplicate: false,
      recipients: 1,
      online: 1,
      offline: [],
    });
    expect(bob.delivered).toEqual([
      {
        seq: sent.seq,
        id: sent.messageId,
        from: 'Alice',
        to: 'Bob',
        content: 'Grüße\n\tworld',
        kind: 'status',
        importance: 'high',
        thread: 't1',
        replyTo: before,
        ts: core.clock.now(),
        expiresAt,
      },
    ]);
  });

  it('is marked if the name of its sender is only claimed', async () => {
    await alice.declared().send('Bob', 'Deploy it.');
    await alice.send('Bob', 'I never said so.', { unverified: true } as object);
    expect(bob.delivered).toMatchObject([{ from: 'Alice', unverified: true }, { from: 'Alice' }]);
    expect(bob.delivered[1]).not.toHaveProperty('unverified');
    expect(await bob.unread()).toEqual(bob.delivered);
  });

  it('looks the same from the inbox as from the push', async () => {
    await alice.send('Bob', 'Once.', { thread: 't1' });
    expect(await bob.unread()).toEqual(bob.delivered);
  });

  it('to an offline agent reports that, and is stored', async () => {
    bob.disconnect();
    expect(await alice.send('Bob', 'Later.')).toMatchObject({ recipients: 1, online: 0, offline: ['Bob'] });
    expect((await bob.request('INBOX', {})).messages).toHaveLength(1);
  });

  it('is pushed to one connection of its recipient, and announced to those that want notices', async () => {
    const second = bob.again();
    const told = bob.again({ paths: [], notify: true });
    await alice.send('Bob', 'Hi.');
    expect([contents(bob), contents(second), contents(told)]).toEqual([['Hi.'], [], []]);
    expect(told.events).toMatchObject([{ type: 'mail.arrived', message: { content: 'Hi.' } }]);
  });

  it('to * reaches everybody but its sender, also offline agents', async () => {
    const carol = await core.join(alice.principal.workspace, 'Carol');
    carol.disconnect();
    expect(await alice.send('*', 'All.')).toMatchObject({ recipients: 2, online: 1, offline: ['Carol'] });
    expect(contents(bob)).toEqual(['All.']);
    expect(bob.delivered[0]?.to).toBe('*');
    expect((await carol.request('INBOX', {})).messages).toMatchObject([{ content: 'All.', to: '*' }]);
    expect((await alice.request('INBOX', {})).messages).toEqual([]);
  });

  it('may name its own project', async () => {
    await alice.send(`${alice.principal.workspace.name.toUpperCase()}:Bob`, 'Here.');
    expect(contents(bob)).toEqual(['Here.']);
  });
});

describe('a message that cannot be sent', () => {
  it.each([
    ['nothing', 'Bob', '', 'EmptyBody'],
    ['blanks', 'Bob', ' \n\t', 'EmptyBody'],
    ['half a surrogate pair', 'Bob', 'x\uD800', 'InvalidRequest'],
    ['a byte too much', 'Bob', `${'é'.repeat(MAX_BODY_BYTES / 2)}x`, 'BodyTooLarge'],
    ['an unknown channel', '#nowhere', 'x', 'ChannelNotFound'],
    ['an unknown project', 'elsewhere:Bob', 'x', 'ProjectNotFound'],
    ['every project, by an agent that leads none,', '*:*', 'x', 'Forbidden'],
    ['no address', '', 'x', 'InvalidAddress'],
    ['no name', 'B b', 'x', 'InvalidName'],
  ])('%s is refused and nothing is stored', async (_what, to, content, code) => {
    await expect(alice.send(to, content)).rejects.toMatchObject({ code });
    expect(await core.relay.store.lastSeq(alice.principal.workspace.id)).toBe(0);
  });

  it('for an unknown name suggests the nearest', async () => {
    await expect(alice.send('Bop', 'x')).rejects.toMatchObject({
      code: 'AgentNotFound',
      message: expect.stringContaining('Did you mean Bob?'),
      details: { suggestions: ['Bob'] },
    });
  });

  it('may have exactly the maximum size', async () => {
    await alice.send('Bob', 'x'.repeat(MAX_BODY_BYTES));
    expect(bob.delivered).toHaveLength(1);
  });

  it('needs an agent as its sender', async () => {
    const owner = core.owner(alice.principal.workspace);
    await expect(owner.send('Bob', 'x')).rejects.toMatchObject({ code: 'AgentNameRequired' });
  });
});

describe('a send repeated with its id', () => {
  it('is the same message: stored once, delivered once', async () => {
    const first = await alice.send('Bob', 'Once.', {}, 'my-id');
    const second = await alice.send('Bob', 'Once.', {}, 'my-id');
    expect(second).toEqual({ ...first, duplicate: true });
    expect(contents(bob)).toEqual(['Once.']);
    expect((await bob.request('INBOX', {})).messages).toHaveLength(1);
  });

  it('is the same while the first is still being stored', async () => {
    const [first, second] = await Promise.all([
      alice.send('Bob', 'Once.', {}, 'my-id'),
      alice.send('Bob', 'Once.', {}, 'my-id'),
    ]);
    expect(second.messageId).toBe(first.messageId);
    expect(contents(bob)).toEqual(['Once.']);
  });

  it('is the same after a restart', async () => {
    const first = await alice.send('Bob', 'Once.', {}, 'my-id');
    await core.restart();
    const back = await core.join(alice.principal.workspace, 'Alice', { token: alice.token });
    expect(await back.send('Bob', 'Once.', {}, 'my-id')).toMatchObject({
      messageId: first.messageId,
      seq: first.seq,
      duplicate: true,
      recipients: 1,
    });
  });

  it('is the same even if it has expired meanwhile', async () => {
    const expiresAt = core.clock.now() + 1000;
    const first = await alice.send('Bob', 'Soon gone.', { expiresAt }, 'my-id');
    core.clock.advance(1000);
    expect(await alice.send('Bob', 'Soon gone.', { expiresAt }, 'my-id')).toEqual({
      ...first,
      duplicate: true,
    });
    await expect(alice.send('Bob', 'Soon gone.', { expiresAt }, 'other-id')).rejects.toMatchObject({
      code: 'InvalidRequest',
      details: { field: 'expiresAt' },
    });
  });

  it('as a reply to something is an error', async () => {
    const { messageId: replyTo } = await bob.send('Alice', 'Hello?');
    await alice.send('Bob', 'Once.', {}, 'my-id');
    const again = alice.send('Bob', 'Once.', { replyTo }, 'my-id');
    await expect(again).rejects.toMatchObject({ code: 'IdConflict' });
  });

  it.each([
    ['another text', 'Bob', 'Twice.', {}],
    ['another recipient', 'Carol', 'Once.', {}],
    ['another kind', 'Bob', 'Once.', { kind: 'question' as const }],
    ['another importance', 'Bob', 'Once.', { importance: 'low' as const }],
  ])('with %s is an error', async (_what, to, content, more) => {
    await core.join(alice.principal.workspace, 'Carol');
    await alice.send('Bob', 'Once.', {}, 'my-id');
    await expect(alice.send(to, content, more, 'my-id')).rejects.toMatchObject({ code: 'IdConflict' });
    expect(contents(bob)).toEqual(['Once.']);
  });

  it('is independent of the same id of another sender', async () => {
    await alice.send('Bob', 'From Alice.', {}, 'my-id');
    expect(await bob.send('Alice', 'From Bob.', {}, 'my-id')).toMatchObject({ duplicate: false });
  });
});

describe('the order of one sender', () => {
  it('is kept when the conversation is created by the first of many', async () => {
    const texts = Array.from({ length: 50 }, (_, i) => `${i}`);
    const sent = await Promise.all(texts.map((text) => alice.send('Bob', text)));
    expect(contents(bob)).toEqual(texts);
    expect(sent.map(({ seq }) => seq)).toEqual(sent.map(({ seq }) => seq).toSorted((a, b) => a - b));
  });

  it('is kept across conversations old and new', async () => {
    await alice.send('Bob', 'known conversation');
    const carol = await core.join(alice.principal.workspace, 'Carol');
    const sent = await Promise.all(
      ['Carol', 'Bob', '*', 'Bob', 'Carol'].map((to, i) => alice.send(to, `${i}`)),
    );
    const seqs = sent.map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    expect(contents(bob).slice(1)).toEqual(['1', '2', '3']);
    expect(contents(carol)).toEqual(['0', '2', '4']);
  });

  it('is kept around a message that fails', async () => {
    const results = await Promise.allSettled([
      alice.send('Bob', 'one', {}, 'a'),
      alice.send('Bob', 'other', {}, 'a'),
      alice.send('Nobody', 'lost'),
      alice.send('Bob', 'two'),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(contents(bob)).toEqual(['one', 'two']);
  });

  it('is the order in which recipients and the store have it, with many senders at once', async () => {
    const senders = await Promise.all(
      ['S1', 'S2', 'S3'].map((name) => core.join(alice.principal.workspace, name)),
    );
    await Promise.all(
      senders.flatMap((sender) =>
        Array.from({ length: 20 }, (_, i) => sender.send('Bob', `${sender.name} ${i}`)),
      ),
    );
    const seqs = bob.delivered.map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    for (const { name } of senders) {
      expect(contents(bob).filter((text) => text.startsWith(name))).toEqual(
        Array.from({ length: 20 }, (_, i) => `${name} ${i}`),
      );
    }
    expect(await bob.unread()).toEqual(bob.delivered);
  });
});
