import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';
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
  it('reaches the connection that serves the tool, with who calls, and its result comes back', async () => {
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

  it('with other arguments than the schema says is refused, naming the field', async () => {
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

  it('whose tool reports an error fails with its words', async () => {
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

  it('ends when its time is over, and the callee is told', async () => {
    await bob.serve({});
    const call = await alice.call('Bob.add', {}, { timeoutMs: 1000 });
    core.clock.advance(1000);
    expect(await call.outcome()).toMatchObject({ error: { code: 'Timeout', retryable: false } });
    expect(bob.events).toContainEqual({ type: 'call.cancelled', callId: call.callId, reason: 'timeout' });
    expect(await bob.answer({ result: 1 })).toEqual({ open: false });
  });

  it('ends when the caller cancels it or is gone, and the callee is told', async () => {
    await bob.serve({});
    const first = await alice.call('Bob.add');
    await alice.request('CANCEL', { id: first.requestId });
    const second = await alice.call('Bob.add');
    alice.disconnect();
    for (const { callId } of [first, second])
      expect(bob.events).toContainEqual({ type: 'call.cancelled', callId, reason: 'cancelled' });
  });

  it('tells how far it is', async () => {
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

  it('does not meet another one with the same id of its caller', async () => {
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

  it('says who calls also where nobody has a name: the key, or the owner', async () => {
    await bob.serve({});
    await core.observerFromAfar(workspace).call('Bob.add');
    expect(bob.calls.at(-1)?.caller).toEqual({ type: 'agent', id: 'key 12345678', name: 'key 12345678' });
    await core.owner(workspace).call('Bob.add');
    expect(bob.calls.at(-1)?.caller).toEqual({ type: 'human', id: 'owner', name: 'owner' });
  });
});

describe('limits of calls', () => {
  it('name their setting: calls at once, for each account', async () => {
    await bob.serve({});
    for (let i = 0; i < 20; i++) await alice.call('Bob.add');
    const refusal = { code: 'LimitReached', details: { limit: 20, setting: 'quotas.calls' } };
    await expect(alice.call('Bob.add')).rejects.toMatchObject(refusal);
    await bob.answer({ result: 1 });
    await alice.call('Bob.add');
  });

  it('count calls inside calls, whatever the caller says', async () => {
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

  it('hold for what goes in and what comes out', async () => {
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
    await petra.reply(question?.id ?? '', 'Yes, go ahead.');
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

  it('asks nobody when a person calls it', async () => {
    await petra.call('Bob.deploy');
    expect(bob.calls).toHaveLength(1);
  });

  it('is denied where nobody can allow it', async () => {
    const lonely = await core.newWorkspace();
    const [one, other] = [await core.join(lonely, 'One'), await core.join(lonely, 'Other')];
    await other.serve({ consent: true });
    const call = await one.call('Other.add');
    expect(await call.outcome()).toMatchObject({ error: { code: 'Denied' } });
  });
});
