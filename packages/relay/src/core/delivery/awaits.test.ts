import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';

let core: TestCore;
let alice: Participant;
let bob: Participant;
let carol: Participant;

beforeAll(async () => {
  core = await openCore();
});
afterAll(() => core[Symbol.asyncDispose]());
beforeEach(async () => {
  const workspace = await core.newWorkspace();
  alice = await core.join(workspace, 'Alice');
  bob = await core.join(workspace, 'Bob');
  carol = await core.join(workspace, 'Carol');
});

const reply = (content: string) => ({ reply: expect.objectContaining({ content }) });
const failure = (code: string, message = /./) => ({
  error: expect.objectContaining({ code, message: expect.stringMatching(message) }),
});

describe('a question with a thread', () => {
  it('is answered by the next message of the recipient in that thread', async () => {
    const question = await alice.ask('Bob', { thread: 'deploy' });
    expect(question.thread).toBe('deploy');
    await bob.send('Alice', 'Go.', { thread: 'deploy' });
    expect(await question.outcome()).toEqual(reply('Go.'));
  });

  it('is answered by a reply to it, in whatever thread', async () => {
    const question = await alice.ask('Bob', { thread: 'deploy' });
    await bob.send('Alice', 'Go.', { replyTo: question.messageId });
    expect(await question.outcome()).toEqual(reply('Go.'));
  });

  it('is not answered by a message outside the thread, by somebody else, or to somebody else', async () => {
    const question = await alice.ask('Bob', { thread: 'deploy' });
    await bob.send('Alice', 'Unrelated.');
    await bob.send('Alice', 'Other.', { thread: 'lunch' });
    await carol.send('Alice', 'I think so.', { thread: 'deploy' });
    await bob.send('Carol', 'Shall she?', { thread: 'deploy' });
    expect(alice.isSettled(question)).toBe(false);
  });

  it('is not answered by what was in the thread before it', async () => {
    await bob.send('Alice', 'Earlier.', { thread: 'deploy' });
    const question = await alice.ask('Bob', { thread: 'deploy' });
    expect(alice.isSettled(question)).toBe(false);
  });

  it('is answered by a question in the same thread, which then waits itself', async () => {
    const question = await alice.ask('Bob', { thread: 'deploy' });
    const back = await bob.ask('Alice', { thread: 'deploy' });
    expect(await question.outcome()).toEqual(reply('What now?'));
    expect(bob.isSettled(back)).toBe(false);
  });
});

describe('a question without a thread', () => {
  it('gets its own thread, and the recipient sees that an answer is awaited', async () => {
    const question = await alice.ask('Bob');
    expect(question.thread).toBe(question.messageId);
    expect(bob.delivered).toEqual([
      expect.objectContaining({ id: question.messageId, thread: question.thread, awaitsReply: true }),
    ]);
  });

  it('is answered in that thread', async () => {
    const question = await alice.ask('Bob');
    await bob.send('Alice', 'Go.', { thread: question.thread });
    expect(await question.outcome()).toEqual(reply('Go.'));
  });

  it('is answered by a message without a thread, if it is the one open to that agent', async () => {
    const question = await alice.ask('Bob');
    const other = await alice.ask('Carol');
    await bob.send('Alice', 'Go.');
    expect(await question.outcome()).toEqual(reply('Go.'));
    expect(alice.isSettled(other)).toBe(false);
  });

  it('is not answered if there are two: it would be ambiguous', async () => {
    const first = await alice.ask('Bob');
    const second = await alice.ask('Bob');
    await bob.send('Alice', 'Go.');
    expect(alice.isSettled(first)).toBe(false);
    expect(alice.isSettled(second)).toBe(false);
    await bob.send('Alice', 'To the second.', { thread: second.thread });
    await bob.send('Alice', 'To what is left.');
    expect(await second.outcome()).toEqual(reply('To the second.'));
    expect(await first.outcome()).toEqual(reply('To what is left.'));
  });

  it('is not answered by a broadcast, nor by a reply to something else', async () => {
    const { messageId } = await alice.send('Bob', 'By the way.');
    const question = await alice.ask('Bob');
    await bob.send('*', 'Hello all.');
    await bob.send('Alice', 'About that.', { replyTo: messageId });
    expect(alice.isSettled(question)).toBe(false);
  });
});

describe('one message', () => {
  it('answers one question, the oldest it fits', async () => {
    const first = await alice.ask('Bob', { thread: 'deploy' });
    const second = await alice.ask('Bob', { thread: 'deploy' });
    await bob.send('Alice', 'One.', { thread: 'deploy' });
    expect(await first.outcome()).toEqual(reply('One.'));
    expect(alice.isSettled(second)).toBe(false);
    await bob.send('Alice', 'Two.', { thread: 'deploy' });
    expect(await second.outcome()).toEqual(reply('Two.'));
  });

  it('that answers no question is an ordinary message', async () => {
    await bob.send('Alice', 'By the way.');
    expect(alice.delivered).toEqual([expect.objectContaining({ content: 'By the way.' })]);
  });
});

describe('the recipient of an awaited message', () => {
  it('is one agent, named or the lead, not everybody', async () => {
    await expect(alice.ask('*')).rejects.toMatchObject({
      code: 'InvalidRequest',
      details: { field: 'await' },
    });
    const question = await bob.ask('lead');
    await alice.send('Bob', 'I lead.');
    expect(await question.outcome()).toEqual(reply('I lead.'));
  });

  it('is not the sender', async () => {
    const question = await alice.ask('Alice');
    expect(await question.outcome()).toEqual(failure('MutualAwait', /own answer/));
  });
});

describe('agents who wait for each other', () => {
  it('both get an error with the question to answer', async () => {
    const first = await alice.ask('Bob');
    const second = await bob.ask('Alice');
    expect(await first.outcome()).toEqual(failure('MutualAwait', new RegExp(`Bob.*${second.messageId}`)));
    expect(await second.outcome()).toEqual(failure('MutualAwait', new RegExp(`Alice.*${first.messageId}`)));
  });

  it('in a longer cycle all get an error', async () => {
    const questions = [await alice.ask('Bob'), await bob.ask('Carol'), await carol.ask('Alice')];
    for (const question of questions) expect(await question.outcome()).toEqual(failure('MutualAwait'));
  });

  it('may try again once the cycle is broken, and what they sent is stored', async () => {
    const first = await alice.ask('Bob');
    await bob.ask('Alice');
    await first.outcome();
    const again = await alice.ask('Bob');
    await bob.send('Alice', 'Here.', { thread: again.thread });
    expect(await again.outcome()).toEqual(reply('Here.'));
    expect(bob.delivered.map(({ id }) => id)).toEqual([first.messageId, again.messageId]);
  });

  it('in a chain without a cycle get no error', async () => {
    const first = await alice.ask('Bob');
    const second = await bob.ask('Carol');
    expect(alice.isSettled(first)).toBe(false);
    expect(bob.isSettled(second)).toBe(false);
  });
});

describe('a question nobody answers', () => {
  it('times out when its time is over, not before', async () => {
    const question = await alice.ask('Bob', { await: { timeoutMs: 5000 } });
    core.clock.advance(4999);
    expect(alice.isSettled(question)).toBe(false);
    core.clock.advance(1);
    expect(await question.outcome()).toEqual(failure('Timeout', /Bob.* within 5 s\./));
  });

  it('is an ordinary message afterwards: a late answer is only delivered', async () => {
    const question = await alice.ask('Bob', { await: { timeoutMs: 5000 } });
    core.clock.advance(5000);
    await bob.send('Alice', 'Late.', { thread: question.thread });
    expect(await question.outcome()).toEqual(failure('Timeout'));
    expect(alice.delivered.map(({ content }) => content)).toEqual(['Late.']);
  });

  it('can be given up by its sender', async () => {
    const question = await alice.ask('Bob');
    await alice.request('CANCEL', { id: question.requestId });
    await bob.send('Alice', 'Go.');
    core.clock.advance(60_000);
    expect(alice.isSettled(question)).toBe(false);
    expect(alice.delivered.map(({ content }) => content)).toEqual(['Go.']);
  });

  it('cannot be given up by anybody else', async () => {
    const question = await alice.ask('Bob');
    await bob.request('CANCEL', { id: question.requestId });
    await bob.send('Alice', 'Go.');
    expect(await question.outcome()).toEqual(reply('Go.'));
  });

  it('is given up with its connection, and is in no cycle of waiting agents', async () => {
    await alice.ask('Bob');
    alice.disconnect();
    const question = await bob.ask('Alice');
    expect(bob.isSettled(question)).toBe(false);
  });
});

describe('a question asked again after a lost connection', () => {
  it('waits on the new connection', async () => {
    await alice.ask('Bob', {}, 'q1');
    alice.disconnect();
    const back = alice.again();
    const question = await back.ask('Bob', {}, 'q1');
    expect(question.duplicate).toBe(true);
    await bob.send('Alice', 'Go.');
    expect(await question.outcome()).toEqual(reply('Go.'));
    expect(bob.delivered).toHaveLength(1);
  });

  it('replaces the one on the old connection, which is not known to be lost', async () => {
    const before = await alice.ask('Bob', {}, 'q1');
    const question = await alice.again().ask('Bob', {}, 'q1');
    await bob.send('Alice', 'Go.');
    expect(await question.outcome()).toEqual(reply('Go.'));
    expect(alice.isSettled(before)).toBe(false);
  });

  it.each([
    ['in its thread', (question: { thread: string }) => ({ thread: question.thread })],
    ['as a reply to it', (question: { messageId: string }) => ({ replyTo: question.messageId })],
  ])('finds the answer that was stored meanwhile %s', async (_how, fields) => {
    const asked = await alice.ask('Bob', {}, 'q1');
    alice.disconnect();
    await bob.send('Alice', 'While you were away.', fields(asked));
    await bob.send('Alice', 'And more.', fields(asked));
    const question = await alice.again().ask('Bob', {}, 'q1');
    expect(await question.outcome()).toEqual(reply('While you were away.'));
  });

  it.each(['disconnect', 'restart'] as const)(
    'gets no answer that another question already got, after a %s',
    async (end) => {
      const first = await alice.ask('Bob', { thread: 'deploy' }, 'q1');
      await alice.ask('Bob', { thread: 'deploy' }, 'q2');
      await bob.send('Alice', 'To the first.', { thread: 'deploy' });
      expect(await first.outcome()).toEqual(reply('To the first.'));
      const { workspace } = alice.principal;
      if (end === 'disconnect') alice.disconnect();
      else await core.restart();
      const back = await core.join(workspace, 'Alice', { token: alice.token });
      const second = await back.ask('Bob', { thread: 'deploy' }, 'q2');
      expect(back.isSettled(second)).toBe(false);
      const answerer = await core.join(workspace, 'Bob', { token: bob.token });
      await answerer.send('Alice', 'To the second.', { thread: 'deploy' });
      expect(await second.outcome()).toEqual(reply('To the second.'));
    },
  );

  it('shares the answers that came meanwhile with the other questions', async () => {
    await alice.ask('Bob', { thread: 'deploy' }, 'q1');
    await alice.ask('Bob', { thread: 'deploy' }, 'q2');
    await alice.ask('Bob', { thread: 'deploy' }, 'q3');
    alice.disconnect();
    await bob.send('Alice', 'One.', { thread: 'deploy' });
    await bob.send('Alice', 'Two.', { thread: 'deploy' });
    const back = alice.again();
    const again = await Promise.all(
      ['q1', 'q2', 'q3'].map((id) => back.ask('Bob', { thread: 'deploy' }, id)),
    );
    expect(await again[0]?.outcome()).toEqual(reply('One.'));
    expect(await again[1]?.outcome()).toEqual(reply('Two.'));
    expect(again[2] && back.isSettled(again[2])).toBe(false);
  });

  it('finds its answer again if it was lost with the connection', async () => {
    const asked = await alice.ask('Bob', {}, 'q1');
    await bob.send('Alice', 'Go.');
    expect(await asked.outcome()).toEqual(reply('Go.'));
    alice.disconnect();
    const question = await alice.again().ask('Bob', {}, 'q1');
    expect(await question.outcome()).toEqual(reply('Go.'));
  });

  it('finds it after a restart of the daemon too', async () => {
    const asked = await alice.ask('Bob', {}, 'q1');
    await bob.send('Alice', 'Before the end.', { thread: asked.thread });
    const { workspace } = alice.principal;
    await core.restart();
    const back = await core.join(workspace, 'Alice', { token: alice.token });
    const question = await back.ask('Bob', {}, 'q1');
    expect(question.messageId).toBe(asked.messageId);
    expect(await question.outcome()).toEqual(reply('Before the end.'));
  });

  it('waits even if it was first sent without asking for an answer', async () => {
    await alice.send('Bob', 'What now?', {}, 'q1');
    const question = await alice.ask('Bob', {}, 'q1');
    await bob.send('Alice', 'Go.', { replyTo: question.messageId });
    expect(await question.outcome()).toEqual(reply('Go.'));
  });

  it('is not answered by a message that has just answered another one', async () => {
    const thread = 'release';
    for (const id of ['tagged', 'published']) {
      await alice.ask('Bob', { thread }, id);
      alice.end(id);
    }
    for (const content of ['It is.', 'Not yet.']) await bob.send('Alice', content, { thread });
    const { awaits } = core.relay;
    const note = awaits.onAnswered;
    const storeIsBack = Promise.withResolvers<void>();
    awaits.onAnswered = (entry, answer) => storeIsBack.promise.then(() => note(entry, answer));
    const first = await alice.ask('Bob', { thread }, 'tagged');
    expect(await first.outcome()).toEqual(reply('It is.'));
    const second = alice.ask('Bob', { thread }, 'published');
    // Whatever it would read now, it has read by the time these are done.
    await alice.send('Bob', 'Well?');
    await alice.listening();
    storeIsBack.resolve();
    expect(await (await second).outcome()).toEqual(reply('Not yet.'));
    awaits.onAnswered = note;
  });
});
