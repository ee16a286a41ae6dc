import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCore, type Participant, QUOTAS, type TestCore } from '../../../../../test/kit/core.ts';
import type { Workspace } from '../ports/store/workspaces.ts';

let core: TestCore;
let workspace: Workspace;
let alice: Participant;
let bob: Participant;
beforeAll(async () => {
  core = await openCore();
});
afterAll(() => core[Symbol.asyncDispose]());
beforeEach(async () => {
  workspace = await core.newWorkspace();
  alice = await core.join(workspace, 'Alice');
  bob = await core.join(workspace, 'Bob');
});

const SUM = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };

describe('a call', () => {
  it('reaches the connection that serves the tool, with its caller, and returns the result', async () => {
    await bob.serve({ name: 'add' });
    const call = await alice.call('Bob.add', { a: 1 });
    expect(bob.calls).toEqual([
      {
        kind: 'mcp_tool_call',
        server: 'Bob',
        tool: 'add',
        arguments: { a: 1 },
        callId: call.callId,
        caller: { type: 'agent', id: expect.any(String), name: 'Alice' },
        timeoutMs: 30_000,
        depth: 1,
      },
    ]);
    expect(await bob.answer({ result: { sum: 2 } })).toEqual({ open: true });
    expect(await call.outcome()).toMatchObject({
      kind: 'mcp_tool_result',
      callId: call.callId,
      result: { sum: 2 },
    });
  });

  it.each([
    ['nobody', 'Bop.add', 'AgentNotFound', 'Bob'],
    ['a tool that is not there', 'Bob.ad', 'ToolNotFound', 'add'],
  ])('of %s is refused at once, with the nearest name', async (_, target, code, near) => {
    await bob.serve({ name: 'add' });
    await expect(alice.call(target)).rejects.toMatchObject({ code, details: { suggestions: [near] } });
  });

  it('of an agent that is offline is refused at once', async () => {
    await bob.serve({ name: 'add' });
    bob.disconnect();
    await expect(alice.call('Bob.add')).rejects.toMatchObject({ code: 'AgentOffline' });
  });

  it('with invalid arguments is refused, naming the field', async () => {
    await bob.serve({ name: 'add', inputSchema: SUM });
    await expect(alice.call('Bob.add', { a: 'one' })).rejects.toMatchObject({
      code: 'InvalidArguments',
      message: 'Bob.add: a must be a number.',
      details: { field: 'a' },
    });
    await expect(alice.call('Bob.add')).rejects.toMatchObject({ details: { field: 'a' } });
    expect(bob.calls).toEqual([]);
  });

  it('whose result breaks the output schema fails, naming the callee', async () => {
    await bob.serve({ name: 'add', outputSchema: SUM });
    const call = await alice.call('Bob.add');
    await bob.answer({ result: { a: 'two' } });
    expect(await call.outcome()).toMatchObject({
      error: { code: 'InvalidResult', message: expect.stringContaining('Bob.add') },
    });
  });

  it('whose tool reports an error fails with its message', async () => {
    await bob.serve({});
    const call = await alice.call('Bob.add');
    await bob.answer({ error: 'Too large to add.' });
    expect(await call.outcome()).toMatchObject({
      error: { code: 'ToolFailed', message: 'Bob.add failed: Too large to add.' },
    });
  });

  it('ends at once when the callee disconnects, and may have run', async () => {
    await bob.serve({});
    const call = await alice.call('Bob.add');
    bob.disconnect();
    expect(await call.outcome()).toMatchObject({ error: { code: 'CalleeGone', retryable: false } });
  });

  it('times out, and the callee is notified', async () => {
    await bob.serve({});
    const call = await alice.call('Bob.add', {}, { timeoutMs: 1000 });
    core.clock.advance(1000);
    expect(await call.outcome()).toMatchObject({ error: { code: 'Timeout', retryable: false } });
    expect(bob.events).toContainEqual({ type: 'call.cancelled', callId: call.callId, reason: 'timeout' });
    expect(await bob.answer({ result: 1 })).toEqual({ open: false });
  });

  it('ends when the caller cancels it or disconnects, and the callee is notified', async () => {
    await bob.serve({});
    const first = await alice.call('Bob.add');
    await alice.request('CANCEL', { id: first.requestId });
    const second = await alice.call('Bob.add');
    alice.disconnect();
    for (const { callId } of [first, second])
      expect(bob.events).toContainEqual({ type: 'call.cancelled', callId, reason: 'cancelled' });
  });

  it('reports its progress', async () => {
    await bob.serve({});
    const { callId, requestId } = await alice.call('Bob.add');
    await bob.request('PROGRESS', { callId, progress: 1, total: 3, message: 'adding' });
    expect(alice.progress).toEqual([{ id: requestId, progress: 1, total: 3, message: 'adding' }]);
  });

  it('is answered only by the connection that got it', async () => {
    const eve = await core.join(workspace, 'Eve');
    await bob.serve({});
    await eve.serve({});
    const call = await alice.call('Bob.add');
    expect(await eve.answer({ result: 'mine' }, call.callId)).toEqual({ open: false });
    await bob.answer({ result: 'his' });
    expect(await call.outcome()).toMatchObject({ result: 'his' });
  });

  it('is not confused with a call of another caller with the same id', async () => {
    const carol = await core.join(workspace, 'Carol');
    await bob.serve({});
    const one = await alice.call('Bob.add', {}, { callId: 'same' });
    const other = await carol.call('Bob.add', {}, { callId: 'same' });
    const [first, second] = bob.calls;
    expect(first?.callId).not.toBe(second?.callId);
    await bob.answer({ result: 'for Carol' }, second?.callId);
    await bob.answer({ result: 'for Alice' }, first?.callId);
    expect(await one.outcome()).toMatchObject({ callId: 'same', result: 'for Alice' });
    expect(await other.outcome()).toMatchObject({ callId: 'same', result: 'for Carol' });
  });

  it('goes on while the callee changes its tools', async () => {
    await bob.serve({ name: 'add' });
    const call = await alice.call('Bob.add');
    await bob.serve({ name: 'other' });
    await bob.answer({ result: 3 });
    expect(await call.outcome()).toMatchObject({ result: 3 });
    await expect(alice.call('Bob.add')).rejects.toMatchObject({ code: 'ToolNotFound' });
  });

  it('names its caller also without an agent: the key, or the owner', async () => {
    await bob.serve({});
    await core.observerFromAfar(workspace).call('Bob.add');
    expect(bob.calls.at(-1)?.caller).toEqual({ type: 'agent', id: 'key 12345678', name: 'key 12345678' });
    await core.owner(workspace).call('Bob.add');
    expect(bob.calls.at(-1)?.caller).toEqual({ type: 'human', id: 'owner', name: 'owner' });
  });
});

describe('the record of a call', () => {
  const CALL = { kind: 'mcp_tool_call', server: 'Bob', tool: 'add' } as const;

  it('is in the audit log when the call is made, with its caller', async () => {
    await bob.serve({});
    const { callId } = await alice.call('Bob.add');
    const { entries } = await core.owner(workspace).request('AUDIT', { limit: 1 });
    const caller = { type: 'agent', id: expect.any(String), name: 'Alice' };
    expect(entries).toEqual([
      {
        at: expect.any(Number),
        ...{ actor: 'Alice', action: 'tool.called', subject: 'Bob.add', detail: { callId, caller } },
      },
    ]);
  });

  it('comes first: a call that cannot be recorded is not made, and does not count', async () => {
    const database = join(mkdtempSync(join(tmpdir(), 'relay-calls-')), 'relay.db');
    await using own = await openCore({ database });
    const there = await own.newWorkspace();
    const [caller, callee] = [await own.join(there, 'Caller'), await own.join(there, 'Callee')];
    await callee.serve({});
    using file = new DatabaseSync(database);
    file.exec(`CREATE TRIGGER full BEFORE INSERT ON audit WHEN NEW.action = 'tool.called'
      BEGIN SELECT RAISE(ABORT, 'no more records'); END`);
    for (let i = 0; i <= QUOTAS.calls; i++)
      await expect(caller.call('Callee.add')).rejects.toThrow('no more records');
    file.exec('DROP TRIGGER full');
    await caller.call('Callee.add');
    expect(callee.calls).toHaveLength(1);
    rmSync(dirname(database), { recursive: true });
  });

  it('does not make a call that is cancelled meanwhile', async () => {
    await bob.serve({});
    const recording = alice.request('CALL', CALL, 'cancelled');
    // Its target was found, and it waits for the database.
    await undefined;
    await alice.request('CANCEL', { id: 'cancelled' });
    await recording;
    await alice.call('Bob.add', { a: 1 });
    expect(bob.calls.map((call) => call.arguments)).toEqual([{ a: 1 }]);
  });
});

describe('limits of calls', () => {
  it('name their setting: open calls, per account', async () => {
    await bob.serve({});
    for (let i = 0; i < 20; i++) await alice.call('Bob.add');
    const refusal = { code: 'LimitReached', details: { limit: 20, setting: 'quotas.calls' } };
    await expect(alice.call('Bob.add')).rejects.toMatchObject(refusal);
    await bob.answer({ result: 1 });
    await alice.call('Bob.add');
    // The agents of a key share one.
    const ann = await core.joinFromAfar(workspace, 'Ann');
    const ben = await core.joinFromAfar(workspace, 'Ben');
    for (let i = 0; i < 10; i++) for (const who of [ann, ben]) await who.call('Bob.add');
    for (const who of [ann, ben]) await expect(who.call('Bob.add')).rejects.toMatchObject(refusal);
  });

  it('count nested calls, whatever parent the caller names', async () => {
    await alice.serve({});
    await bob.serve({});
    let parent: string | undefined;
    for (let depth = 1; depth <= 4; depth++) {
      const [from, to] = depth % 2 ? [alice, 'Bob'] : [bob, 'Alice'];
      parent = (await from.call(`${to}.add`, {}, parent === undefined ? {} : { parent })).callId;
    }
    const refusal = { code: 'LimitReached', details: { limit: 4, setting: 'quotas.callDepth' } };
    await expect(alice.call('Bob.add', {}, { parent: parent ?? '' })).rejects.toMatchObject(refusal);
    await expect(alice.call('Bob.add')).rejects.toMatchObject(refusal);
    await expect(alice.call('Bob.add', {}, { parent: 'made-up' })).rejects.toMatchObject(refusal);
  });

  it('count calls that an agent makes while it answers one in a message', async () => {
    const carol = await core.join(workspace, 'Carol', {
      tools: [{ name: 'review', description: 'Reviews', inputSchema: {} }],
    });
    await bob.serve({});
    await alice.serve({});
    await carol.call('Alice.add');
    expect(alice.calls.at(-1)?.depth).toBe(1);
    await bob.call('Alice.add');
    const parent = alice.calls.at(-1)?.callId ?? '';
    const question = await alice.call('Carol.review', {}, { parent });
    await expect.poll(() => carol.delivered).toHaveLength(1);
    await carol.call('Bob.add');
    expect(bob.calls.at(-1)?.depth).toBe(3);
    await carol.reply(carol.delivered[0]?.id ?? '', 'Done.');
    await question.outcome();
    await carol.call('Bob.add');
    expect(bob.calls.at(-1)?.depth).toBe(1);
  });

  it('apply to arguments and results', async () => {
    await bob.serve({});
    const much = 'x'.repeat(5000);
    await expect(alice.call('Bob.add', { much })).rejects.toMatchObject({
      code: 'LimitReached',
      details: { setting: 'quotas.callBytes' },
    });
    const call = await alice.call('Bob.add');
    await bob.answer({ result: much });
    expect(await call.outcome()).toMatchObject({ error: { code: 'InvalidResult' } });
  });

  it('apply to the arguments of all open calls, which are in memory', async () => {
    await bob.serve({});
    const much = 'x'.repeat(4000);
    const [ann, ben] = [await core.joinFromAfar(workspace, 'Ann'), await core.joinFromAfar(workspace, 'Ben')];
    for (const who of [ann, ben, ann, ben]) await who.call('Bob.add', { much });
    const refusal = { code: 'LimitReached', details: { limit: 16_384, setting: 'quotas.openCallBytes' } };
    for (const who of [ann, ben]) await expect(who.call('Bob.add', { much })).rejects.toMatchObject(refusal);
    // A refused call does not count.
    for (let i = 0; i < 16; i++) await ann.call('Bob.add');
    await expect(ann.call('Bob.add')).rejects.toMatchObject({ details: { setting: 'quotas.calls' } });
    await bob.answer({ result: 1 }, bob.calls[0]?.callId);
    await ben.call('Bob.add', { much });
    await alice.call('Bob.add', { much });
  });

  it('apply to the tools that the agents of a key serve, which are in memory', async () => {
    const tools = Array.from({ length: 15 }, (_, at) => ({ name: `t${at}`, description: 'x'.repeat(4000) }));
    const join = (name: string) => core.joinFromAfar(workspace, name);
    const [ann, ben, cat] = [await join('Ann'), await join('Ben'), await join('Cat')];
    for (const who of [ann, ben]) await who.serve(...tools);
    const refusal = { code: 'LimitReached', details: { limit: 131_072, setting: 'quotas.servedBytes' } };
    await expect(cat.serve(...tools)).rejects.toMatchObject(refusal);
    // What it serves already does not count twice, and what nobody serves any more does not count.
    for (let i = 0; i < 3; i++) await ann.serve(...tools);
    ben.disconnect();
    await cat.serve(...tools);
    await ann.request('SERVE', { tools: [] });
    await (await join('Dan')).serve(...tools);
    await bob.serve(...tools);
  });
});

describe('a tool that was only announced', () => {
  const tools = [{ name: 'review', description: 'Reviews', inputSchema: SUM }];

  it('is asked for in a message, and the answer is the result: JSON, or text', async () => {
    const carol = await core.join(workspace, 'Carol', { tools });
    const first = await alice.call('Carol.review', { a: 7 });
    await expect.poll(() => carol.delivered).toHaveLength(1);
    const [question] = carol.delivered;
    expect(question).toMatchObject({ from: 'Alice', kind: 'question', awaitsReply: true });
    expect(question?.content).toContain('"review"');
    expect(question?.content).toContain('"a": 7');
    await carol.reply(question?.id ?? '', '```json\n{"ok": true}\n```');
    expect(await first.outcome()).toMatchObject({ result: { ok: true } });
    const second = await alice.call('Carol.review', { a: 8 });
    await expect.poll(() => carol.delivered).toHaveLength(2);
    await carol.reply(carol.delivered[1]?.id ?? '', 'Looks fine.');
    expect(await second.outcome()).toMatchObject({ result: 'Looks fine.' });
    await expect.poll(async () => (await alice.request('INBOX', {})).unread).toBe(0);
  });

  it('ends at once when the agent goes offline', async () => {
    const carol = await core.join(workspace, 'Carol', { tools });
    const call = await alice.call('Carol.review', { a: 7 });
    await expect.poll(() => carol.delivered).toHaveLength(1);
    carol.disconnect();
    expect(await call.outcome()).toMatchObject({ error: { code: 'CalleeGone', retryable: false } });
  });

  it('goes on while the agent has another connection', async () => {
    const carol = await core.join(workspace, 'Carol', { tools });
    const other = carol.again();
    const call = await alice.call('Carol.review', { a: 7 });
    await expect.poll(() => carol.delivered).toHaveLength(1);
    other.disconnect();
    await carol.reply(carol.delivered[0]?.id ?? '', 'Fine.');
    expect(await call.outcome()).toMatchObject({ result: 'Fine.' });
  });

  it('is checked and refused like any other', async () => {
    const carol = await core.join(workspace, 'Carol', { tools });
    await expect(alice.call('Carol.review')).rejects.toMatchObject({ code: 'InvalidArguments' });
    carol.disconnect();
    await expect(alice.call('Carol.review', { a: 1 })).rejects.toMatchObject({ code: 'AgentOffline' });
  });
});

describe('a tool that needs consent', () => {
  let petra: Participant;
  beforeEach(async () => {
    petra = await core.join(workspace, 'Petra', { type: 'human' });
    await bob.serve({ name: 'deploy', consent: true });
  });

  it('is called after the person in charge said yes', async () => {
    const call = await alice.call('Bob.deploy', { to: 'production' });
    await expect.poll(() => petra.delivered).toHaveLength(1);
    const [question] = petra.delivered;
    expect(question).toMatchObject({ from: 'relay', kind: 'question' });
    expect(question?.content).toMatch(/Alice wants to call Bob\.deploy.*production/s);
    expect(bob.calls).toEqual([]);
    expect(question?.content).toContain('agent-relay send --reply-to ID yes');
    expect(alice.progress).toMatchObject([
      { id: call.requestId, message: 'Waiting for consent from Petra.' },
    ]);
    expect(await petra.reply(question?.id ?? '', 'Yes, go ahead.')).toMatchObject({ offline: [] });
    await expect.poll(() => bob.calls).toHaveLength(1);
    await bob.answer({ result: 'done' });
    expect(await call.outcome()).toMatchObject({ result: 'done' });
  });

  it('is not called after any other answer, or none', async () => {
    const first = await alice.call('Bob.deploy');
    await expect.poll(() => petra.delivered).toHaveLength(1);
    await petra.reply(petra.delivered[0]?.id ?? '', 'Not on a Friday.');
    expect(await first.outcome()).toMatchObject({
      error: { code: 'Denied', message: expect.stringContaining('Not on a Friday.') },
    });
    const second = await alice.call('Bob.deploy', {}, { timeoutMs: 1000 });
    await expect.poll(() => petra.delivered).toHaveLength(2);
    core.clock.advance(1000);
    expect(await second.outcome()).toMatchObject({ error: { code: 'Denied' } });
    expect(bob.calls).toEqual([]);
  });

  it('may take five minutes by default', async () => {
    const call = await alice.call('Bob.deploy');
    await expect.poll(() => petra.delivered).toHaveLength(1);
    core.clock.advance(299_000);
    await petra.reply(petra.delivered[0]?.id ?? '', 'yes');
    await expect.poll(() => bob.calls).toMatchObject([{ timeoutMs: 300_000 }]);
    core.clock.advance(1000);
    expect(await call.outcome()).toMatchObject({ error: { code: 'Timeout' } });
  });

  it('ends at once when its callee leaves while the person is asked, and the question is settled', async () => {
    const carol = await core.join(workspace, 'Carol', {
      tools: [{ name: 'review', description: 'Reviews', inputSchema: {}, consent: true }],
    });
    for (const [target, callee] of [
      ['Bob.deploy', bob],
      ['Carol.review', carol],
    ] as const) {
      const call = await alice.call(target);
      await expect.poll(() => petra.delivered.at(-1)?.kind).toBe('question');
      const question = petra.delivered.at(-1)?.id ?? '';
      callee.disconnect();
      expect(await call.outcome()).toMatchObject({ error: { code: 'AgentOffline' } });
      await expect.poll(() => petra.delivered.at(-1)).toMatchObject({ replyTo: question, kind: 'status' });
      expect(petra.delivered.at(-1)?.content).toBe(
        `No reply is needed any more: ${callee.name} disconnected.`,
      );
      await expect(petra.reply(question, 'yes')).rejects.toMatchObject({ code: 'CallEnded' });
    }
    expect(bob.calls).toEqual([]);
    expect(carol.delivered).toEqual([]);
  });

  it('is denied when the person who is asked is removed', async () => {
    const call = await alice.call('Bob.deploy');
    await expect.poll(() => petra.delivered).toHaveLength(1);
    await core.owner(workspace).request('AGENT_REMOVE', { agent: 'Petra' });
    expect(await call.outcome()).toMatchObject({ error: { code: 'Denied' } });
  });

  it('shows all arguments to the person, or is not called', async () => {
    await using large = await openCore({ maxBodyBytes: 8000 });
    const there = await large.newWorkspace();
    const [one, other] = [await large.join(there, 'One'), await large.join(there, 'Other')];
    const person = await large.join(there, 'Petra', { type: 'human' });
    await other.serve({ name: 'deploy', consent: true });
    // With a line for each, as they are shown, they are several times as long.
    const ones = (count: number) => Array.from({ length: count }, () => 1);
    await one.call('Other.deploy', { first: ones(400), last: 'rm -r /' });
    await expect.poll(() => person.delivered).toHaveLength(1);
    expect(person.delivered[0]?.content).toContain('rm -r /');
    const call = await one.call('Other.deploy', { first: ones(2000) });
    expect(await call.outcome()).toMatchObject({
      error: { code: 'Denied', message: expect.stringContaining('too long') },
    });
    expect(other.calls).toEqual([]);
  });

  it('tells the person when the question needs no answer any more', async () => {
    const notes = () => petra.delivered.filter(({ kind }) => kind === 'status');
    const late = await alice.call('Bob.deploy', {}, { timeoutMs: 1000 });
    await expect.poll(() => petra.delivered).toHaveLength(1);
    const [first] = petra.delivered;
    expect(first?.expiresAt).toBe(core.clock.now() + 1000);
    core.clock.advance(1000);
    await late.outcome();
    await expect.poll(notes).toMatchObject([{ from: 'relay', replyTo: first?.id }]);
    expect(notes()[0]?.content).toMatch(/the call timed out\./);

    const dropped = await alice.call('Bob.deploy');
    await expect.poll(() => petra.delivered).toHaveLength(3);
    await alice.request('CANCEL', { id: dropped.requestId });
    await expect.poll(() => notes().at(-1)?.content).toMatch(/Alice stopped waiting\./);
  });

  it('is allowed only by a reply to its own question; the person gets a hint', async () => {
    const call = await alice.call('Bob.deploy');
    await expect.poll(() => petra.delivered).toHaveLength(1);
    const [question] = petra.delivered;
    // The answer to a question of before, for example.
    await petra.send('relay', 'yes');
    await expect.poll(() => petra.delivered).toHaveLength(2);
    expect(petra.delivered[1]).toMatchObject({ from: 'relay', kind: 'free', replyTo: question?.id });
    expect(petra.delivered[1]?.content).toContain('reply to the question itself');
    expect(bob.calls).toEqual([]);
    await petra.reply(question?.id ?? '', 'yes');
    await expect.poll(() => bob.calls).toHaveLength(1);
    await bob.answer({ result: 'done' });
    expect(await call.outcome()).toMatchObject({ result: 'done' });
  });

  it('counts for its caller: the questions for one agent leave room for those for another', async () => {
    await using small = await openCore({ quotas: { ...QUOTAS, awaits: 2 } });
    const there = await small.newWorkspace();
    const [one, other] = [await small.join(there, 'One'), await small.join(there, 'Other')];
    const person = await small.join(there, 'Petra', { type: 'human' });
    const callee = await small.join(there, 'Callee');
    await callee.serve({ name: 'deploy', consent: true });
    for (const _ of [1, 2]) await one.call('Callee.deploy');
    await expect.poll(() => person.delivered).toHaveLength(2);
    const refused = await one.call('Callee.deploy');
    expect(await refused.outcome()).toMatchObject({ error: { code: 'LimitReached' } });
    await other.call('Callee.deploy');
    await expect.poll(() => person.delivered).toHaveLength(3);
  });

  it('counts for the key of its caller: all its agents together', async () => {
    await using small = await openCore({ quotas: { ...QUOTAS, awaits: 2 } });
    const there = await small.newWorkspace();
    const person = await small.join(there, 'Petra', { type: 'human' });
    const callee = await small.join(there, 'Callee');
    await callee.serve({ name: 'deploy', consent: true });
    for (const name of ['One', 'Two']) await (await small.joinFromAfar(there, name)).call('Callee.deploy');
    await expect.poll(() => person.delivered).toHaveLength(2);
    const refused = await (await small.joinFromAfar(there, 'Three')).call('Callee.deploy');
    expect(await refused.outcome()).toMatchObject({ error: { code: 'LimitReached' } });
  });

  it('asks no more often than its caller may send, without affecting other callers', async () => {
    await using slow = await openCore({ rateLimit: { perSecond: 1, burst: 3 } });
    const there = await slow.newWorkspace();
    const person = await slow.join(there, 'Petra', { type: 'human' });
    const callee = await slow.join(there, 'Callee');
    await callee.serve({ name: 'deploy', consent: true });
    const eve = await slow.join(there, 'Eve');
    const questions = () => person.delivered.filter(({ kind }) => kind === 'question').length;
    for (let asked = 1; asked <= 3; asked++) {
      const { requestId } = await eve.call('Callee.deploy');
      await expect.poll(questions).toBe(asked);
      await eve.request('CANCEL', { id: requestId });
    }
    await expect(eve.call('Callee.deploy')).rejects.toMatchObject({ code: 'RateLimited' });
    await (await slow.join(there, 'Ann')).call('Callee.deploy');
    await expect.poll(questions).toBe(4);
  });

  it('sends no notice after the question was answered', async () => {
    const call = await alice.call('Bob.deploy');
    await expect.poll(() => petra.delivered).toHaveLength(1);
    await petra.reply(petra.delivered[0]?.id ?? '', 'no');
    await call.outcome();
    await alice.send('Petra', 'The next one.');
    await expect.poll(() => petra.delivered.map(({ from }) => from)).toEqual(['relay', 'Alice']);
  });

  it('asks the person even if the caller only has a key, or only claims to be a person', async () => {
    await core.observerFromAfar(workspace).call('Bob.deploy');
    await expect.poll(() => petra.delivered).toHaveLength(1);
    await petra.declared().call('Bob.deploy');
    await expect.poll(() => petra.delivered).toHaveLength(2);
    expect(bob.calls).toEqual([]);
  });

  it('is not allowed by a client that only claims to be the person', async () => {
    const call = await alice.call('Bob.deploy');
    await expect.poll(() => petra.delivered).toHaveLength(1);
    await petra.declared().reply(petra.delivered[0]?.id ?? '', 'yes');
    expect(await call.outcome()).toMatchObject({ error: { code: 'Denied' } });
    expect(bob.calls).toEqual([]);
  });

  it('asks nobody when a person calls it', async () => {
    await petra.call('Bob.deploy');
    expect(bob.calls).toHaveLength(1);
  });

  it('is denied if nobody can allow it', async () => {
    const lonely = await core.newWorkspace();
    const [one, other] = [await core.join(lonely, 'One'), await core.join(lonely, 'Other')];
    await other.serve({ consent: true });
    const call = await one.call('Other.add');
    expect(await call.outcome()).toMatchObject({ error: { code: 'Denied' } });
  });

  const decide = (answer: 'allow' | 'deny', message = petra.delivered.at(-1)?.id ?? '', by = petra) =>
    by.request('CONSENT_ANSWER', { message, answer });
  const asked = async (count = 1) => {
    const questions = () => petra.delivered.filter(({ kind }) => kind === 'question');
    await expect.poll(questions).toHaveLength(count);
    return questions().at(-1)?.id ?? '';
  };

  it('confirms a decision with what became of the call', async () => {
    const finished = await alice.call('Bob.deploy');
    const allowed = decide('allow', await asked());
    await expect.poll(() => bob.calls).toHaveLength(1);
    await bob.answer({ result: 'done' });
    expect(await allowed).toEqual({ call: 'finished' });
    expect(await finished.outcome()).toMatchObject({ result: 'done' });

    await alice.call('Bob.deploy');
    const broken = decide('allow', await asked(2));
    await expect.poll(() => bob.calls).toHaveLength(2);
    await bob.answer({ error: 'The disk is full.' });
    expect(await broken).toMatchObject({
      call: 'failed',
      error: { code: 'ToolFailed', message: 'Bob.deploy failed: The disk is full.' },
    });

    await alice.call('Bob.deploy');
    const slow = decide('allow', await asked(3));
    await expect.poll(() => bob.calls).toHaveLength(3);
    core.clock.advance(2000);
    expect(await slow).toEqual({ call: 'running' });

    const denied = await alice.call('Bob.deploy');
    expect(await decide('deny', await asked(4))).toEqual({ call: 'denied' });
    expect(await denied.outcome()).toMatchObject({ error: { code: 'Denied' } });
  });

  it('takes no decision about a call that has ended, and none twice', async () => {
    const ended = { code: 'CallEnded' };
    const { requestId } = await alice.call('Bob.deploy');
    const first = await asked();
    await alice.request('CANCEL', { id: requestId });
    await expect(decide('allow', first)).rejects.toMatchObject(ended);
    await expect(petra.reply(first, 'yes')).rejects.toMatchObject(ended);
    await alice.call('Bob.deploy');
    const second = await asked(2);
    expect(await decide('deny', second)).toEqual({ call: 'denied' });
    await expect(decide('allow', second)).rejects.toMatchObject(ended);
    expect(bob.calls).toEqual([]);
  });

  it('takes a reply again whose answer was lost', async () => {
    await alice.call('Bob.deploy');
    const reply = { replyTo: await asked(), content: 'yes' };
    const { messageId } = await petra.request('SEND', reply, 'same');
    await expect.poll(() => bob.calls).toHaveLength(1);
    expect(await petra.request('SEND', reply, 'same')).toMatchObject({ messageId, duplicate: true });
    expect(bob.calls).toHaveLength(1);
  });

  it('is decided only by the person who was asked, and only by its own question', async () => {
    const paul = await core.join(workspace, 'Paul', { type: 'human' });
    await alice.call('Bob.deploy');
    const question = await asked();
    await expect(decide('allow', question, paul)).rejects.toMatchObject({ code: 'MessageNotFound' });
    await expect(decide('allow', question, alice)).rejects.toMatchObject({ code: 'MessageNotFound' });
    const { messageId } = await alice.send('Petra', 'May I?', { kind: 'question' });
    await expect(decide('allow', messageId)).rejects.toMatchObject({ code: 'InvalidRequest' });
    expect(bob.calls).toEqual([]);
  });

  it('says after a restart of the daemon that its question needs no reply, once', async () => {
    await using other = await openCore();
    const there = await other.newWorkspace();
    const enter = () => other.join(other.relay.workspaces.get(there.name), 'Petra', { type: 'human', token });
    let token: string | undefined;
    let person = await enter();
    token = person.token;
    const callee = await other.join(there, 'Callee');
    await callee.serve({ name: 'deploy', consent: true });
    const caller = await other.join(there, 'Caller');
    for (const _ of [1, 2]) await caller.call('Callee.deploy');
    await expect.poll(() => person.delivered).toHaveLength(2);
    const [lost, denied] = person.delivered.map(({ id }) => id) as [string, string];
    await person.request('CONSENT_ANSWER', { message: denied, answer: 'deny' });
    for (const _ of [1, 2]) {
      await other.restart();
      person = await enter();
      await expect(
        person.request('CONSENT_ANSWER', { message: lost, answer: 'allow' }),
      ).rejects.toMatchObject({
        code: 'CallEnded',
      });
      const notes = async () =>
        (await person.request('INBOX', {})).messages.filter(({ kind }) => kind === 'status');
      await expect.poll(notes).toMatchObject([{ replyTo: lost, from: 'relay' }]);
    }
    expect(callee.calls).toEqual([]);
  });
});
