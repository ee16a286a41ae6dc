import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';

let core: TestCore;
let alice: Participant;
let bob: Participant;

beforeAll(async () => {
  core = await openCore({ rateLimit: { perSecond: 2, burst: 3 } });
});
afterAll(() => core[Symbol.asyncDispose]());
beforeEach(async () => {
  const workspace = await core.newWorkspace();
  alice = await core.join(workspace, 'Alice');
  bob = await core.join(workspace, 'Bob');
});

const sendMany = (sender: Participant, to: string, count: number) =>
  Promise.allSettled(Array.from({ length: count }, (_, i) => sender.send(to, `${i}`)));
const statuses = (results: Array<PromiseSettledResult<unknown>>) => results.map(({ status }) => status[0]);

describe('the rate limit', () => {
  it('allows a burst, then returns an error that says when to retry', async () => {
    const results = await sendMany(alice, 'Bob', 4);
    expect(statuses(results)).toEqual(['f', 'f', 'f', 'r']);
    expect(results[3]).toMatchObject({
      reason: {
        code: 'RateLimited',
        retryable: true,
        next: 'Try again in 500 ms.',
        details: { retryAfterMs: 500 },
      },
    });
    expect((await bob.request('INBOX', {})).unread).toBe(3);
  });

  it('names its setting', async () => {
    const [, , , refused] = await sendMany(alice, 'Bob', 4);
    expect(refused).toMatchObject({
      reason: {
        message: 'More than 2 messages a second (rateLimit.perSecond); nothing was stored.',
        details: { limit: 2, setting: 'rateLimit.perSecond' },
      },
    });
  });

  it('counts invocations too, because each stays in the audit trail', async () => {
    const workspace = await core.newWorkspace();
    const [caller, performer] = [
      await core.join(workspace, 'Caller'),
      await core.join(workspace, 'Performer'),
    ];
    const actions = [{ name: 'act', description: 'Acts', inputSchema: {} }];
    await performer.request('SERVE', { tools: [], actions });
    const invoke = (invocationId: string) => caller.request('INVOKE', { name: 'act', invocationId });
    await caller.send('Performer', 'One of the three.');
    await invoke('inv_one_of_them');
    await invoke('inv_another_one');
    await expect(invoke('inv_one_too_many')).rejects.toMatchObject({
      code: 'RateLimited',
      message: 'More than 2 messages and recorded calls a second (rateLimit.perSecond); nothing was stored.',
      details: { retryAfterMs: 500, setting: 'rateLimit.perSecond' },
    });
    // The same once more is nothing new.
    expect((await invoke('inv_another_one')).invocation.invocationId).toBe('inv_another_one');
    const { entries } = await core.owner(workspace).request('AUDIT', {});
    expect(entries.filter(({ action }) => action === 'action.invoked')).toHaveLength(2);
  });

  it.each([-3_600_000, 3_600_000])('is not affected when the clock is set by %i ms', async (ms) => {
    await sendMany(alice, 'Bob', 3);
    core.clock.set(ms);
    await expect(alice.send('Bob', 'early')).rejects.toMatchObject({ details: { retryAfterMs: 500 } });
    core.clock.advance(500);
    await alice.send('Bob', 'in time');
  });

  it('ends exactly at the announced time', async () => {
    await sendMany(alice, 'Bob', 3);
    core.clock.advance(375);
    await expect(alice.send('Bob', 'early')).rejects.toMatchObject({ details: { retryAfterMs: 125 } });
    core.clock.advance(125);
    await alice.send('Bob', 'in time');
  });

  it('allows its rate forever, and no more than the burst after a pause', async () => {
    await sendMany(alice, 'Bob', 3);
    for (let second = 0; second < 5; second++) {
      core.clock.advance(1000);
      expect(statuses(await sendMany(alice, 'Bob', 3))).toEqual(['f', 'f', 'r']);
    }
    core.clock.advance(3_600_000);
    expect(statuses(await sendMany(alice, 'Bob', 4))).toEqual(['f', 'f', 'f', 'r']);
  });

  it('applies to each sender separately', async () => {
    await sendMany(alice, 'Bob', 4);
    expect(statuses(await sendMany(bob, 'Alice', 3))).toEqual(['f', 'f', 'f']);
  });

  it('does not refuse a retry of a stored message', async () => {
    const ann = await core.join(alice.principal.workspace, 'Ann', { type: 'human' });
    const first = await ann.send('Bob', 'Once.', {}, 'my-id');
    const everywhere = await ann.send('*:*', 'Everybody.', {}, 'all-id');
    await ann.send('Bob', 'The last one.');
    expect(await ann.send('Bob', 'Once.', {}, 'my-id')).toEqual({ ...first, duplicate: true });
    expect(await ann.send('*:*', 'Everybody.', {}, 'all-id')).toEqual({ ...everywhere, duplicate: true });
    await expect(ann.send('Bob', 'Twice.', {}, 'my-id')).rejects.toMatchObject({ code: 'IdConflict' });
    await expect(ann.send('Bob', 'Once.', {}, 'other-id')).rejects.toMatchObject({ code: 'RateLimited' });
  });

  it('counts messages, not recipients', async () => {
    expect(statuses(await sendMany(alice, '*', 4))).toEqual(['f', 'f', 'f', 'r']);
    for (let i = 0; i < 20; i++) await alice.request('INBOX', {});
  });
});

describe('no rate limit', () => {
  it('is set by a rate of 0', async () => {
    await using free = await openCore({ rateLimit: { perSecond: 0, burst: 0 } });
    const workspace = await free.newWorkspace();
    const sender = await free.join(workspace, 'Alice');
    expect(new Set(statuses(await sendMany(sender, '*', 500)))).toEqual(new Set(['f']));
  });
});
