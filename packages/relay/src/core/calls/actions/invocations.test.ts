import type { InvocationInfo, OperationInput } from '@agent-relay/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCore, type Participant, type TestCore } from '../../../../../../test/kit/core.ts';
import type { Workspace } from '../../ports/store/workspaces.ts';

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

type Action = NonNullable<OperationInput<'SERVE'>['actions']>[number];
const action = (name: string, more: Partial<Action> = {}): Action => ({
  name,
  description: 'Votes',
  inputSchema: {},
  ...more,
});
const tool = (name: string) => ({ name, description: 'Does', inputSchema: {} });
const register = (who: Participant, ...actions: Action[]) => who.request('SERVE', { tools: [], actions });
const namesFor = async (who: Participant) =>
  (await who.request('ACTIONS', {})).actions.map(({ name }) => name);
const stored = async (who: Participant, invocationId: string): Promise<InvocationInfo> =>
  (await who.request('INVOCATION', { invocationId })).invocation;

describe('an action', () => {
  it('is performed by its owner, and its end can be read', async () => {
    await register(bob, action('review.vote', { outputSchema: { type: 'string' } }));
    expect(await alice.request('ACTIONS', {})).toMatchObject({
      actions: [{ name: 'review.vote', owner: 'Bob' }],
    });
    const { invocation } = await alice.request('INVOKE', { name: 'review.vote', input: { vote: 'yes' } });
    expect(invocation).toMatchObject({ actionName: 'review.vote', status: 'invoked', owner: 'Bob' });
    const { invocationId } = invocation;
    expect(bob.calls).toMatchObject([{ tool: 'review.vote', action: true, invocationId }]);
    await bob.answer({ result: 'noted' });
    await expect.poll(async () => (await stored(alice, invocationId)).status).toBe('completed');
    expect(await stored(bob, invocationId)).toMatchObject({
      result: 'noted',
      caller: { name: 'Alice' },
      input: { vote: 'yes' },
    });
    const owner = core.owner(workspace);
    expect((await owner.request('AUDIT', {})).entries).toMatchObject([
      { action: 'action.completed', actor: 'Alice', subject: 'review.vote', detail: { invocationId } },
      { action: 'action.invoked', actor: 'Alice', detail: { caller: { name: 'Alice' } } },
      {},
      {},
    ]);
  });

  it('is found by both spellings of its name', async () => {
    await register(bob, action('review.vote'));
    for (const name of ['review.vote', 'review_vote', 'Review_Vote'])
      expect((await alice.request('INVOKE', { name })).invocation.actionName).toBe('review.vote');
  });

  it('has one owner: a taken name is refused, naming it', async () => {
    await register(bob, action('review.vote'));
    await expect(register(alice, action('review_vote'))).rejects.toMatchObject({
      code: 'NameTaken',
      message: 'The action "review_vote" belongs to Bob.',
    });
    await register(bob.again(), action('review.vote'));
    bob.disconnect();
    await expect(alice.request('INVOKE', { name: 'review.vote' })).resolves.toBeDefined();
  });

  it('cannot be the tool of another agent: their names exclude each other', async () => {
    await core.join(workspace, 'Carol', { handle: 'cc' });
    for (const name of ['Carol.deploy', 'cc.deploy'])
      await expect(register(bob, action(name))).rejects.toMatchObject({
        code: 'NameTaken',
        message: expect.stringContaining('the agent Carol'),
      });
    await register(bob, action('Bob.deploy'), action('review.vote'));
    const taken = { code: 'NameTaken', message: expect.stringContaining('"review.vote"') };
    await expect(core.join(workspace, 'Review')).rejects.toMatchObject(taken);
    await expect(core.join(workspace, 'Dora', { handle: 'review' })).rejects.toMatchObject(taken);
    const owner = core.owner(workspace);
    await expect(owner.request('AGENT_RENAME', { agent: 'Carol', name: 'review' })).rejects.toMatchObject(
      taken,
    );
    bob.disconnect();
    await core.join(workspace, 'Review');
  });

  it('cannot share a name with a tool: the first one keeps it', async () => {
    await bob.request('SERVE', { tools: [tool('deploy')], actions: [] });
    await expect(
      bob.request('SERVE', { tools: [tool('deploy')], actions: [action('bob.deploy')] }),
    ).rejects.toMatchObject({
      code: 'NameTaken',
      message: '"bob.deploy" is the tool "deploy" of Bob.',
      details: { name: 'bob.deploy' },
    });
    const again = bob.again();
    await expect(register(again, action('Bob.deploy'))).rejects.toMatchObject({ code: 'NameTaken' });
    await register(bob, action('Bob.deploy'));
    await expect(again.serve(tool('deploy'))).rejects.toMatchObject({
      code: 'NameTaken',
      message: 'Bob has an action "Bob.deploy".',
    });
    await bob.request('SERVE', {
      tools: [tool('start')],
      actions: [action('Bob.deploy'), action('Rob.start')],
    });
    const owner = core.owner(workspace);
    await expect(owner.request('AGENT_RENAME', { agent: 'Bob', name: 'Rob' })).rejects.toMatchObject({
      code: 'NameTaken',
      message: expect.stringContaining('"Rob.start"'),
    });
  });

  it('takes precedence over an announced tool of the same name', async () => {
    const carol = await core.join(workspace, 'Carol', { tools: [tool('deploy')] });
    await register(carol, action('Carol.deploy'));
    await expect(alice.call('Carol.deploy')).rejects.toMatchObject({ code: 'ToolNotFound' });
    await alice.request('INVOKE', { name: 'Carol.deploy' });
    expect(carol.calls).toMatchObject([{ tool: 'Carol.deploy', action: true }]);
  });

  it.each([
    ['send_dm', 'NameTaken', /The relay already has a tool named "send_dm"/],
    ['list.actions', 'NameTaken', /"list\.actions"/],
    ['relay_anything', 'NameTaken', /"relay_anything"/],
    ['lead.do', 'ReservedName', /"lead\.do" begins with the reserved word "lead"/],
    ['a.', 'InvalidRequest', /actions\.0\.name: "a\." must be letters, digits, _ and -/],
    ['a..b', 'InvalidRequest', /"a\.\.b"/],
  ])('is not called %s', async (name, code, message) => {
    await expect(register(bob, action(name))).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });

  it('names the invalid action in the error', async () => {
    const inputSchema = { type: 7 } as unknown as Record<string, unknown>;
    await expect(register(bob, action('ok'), action('a.b', { inputSchema }))).rejects.toMatchObject({
      message: expect.stringMatching(/^The action "a\.b" has an invalid schema/),
      details: { name: 'a.b' },
    });
    await expect(register(bob, action('a.b'), action('a_b'))).rejects.toMatchObject({
      message: 'The action "a_b" is listed twice.',
    });
  });

  it('shows names in availableTo that do not exist', async () => {
    await register(bob, action('act', { availableTo: ['alice', 'reviewrs', '#ops', 'lead', 'human'] }));
    expect((await bob.request('ACTIONS', {})).actions).toMatchObject([{ unknown: ['reviewrs', '#ops'] }]);
  });

  it.each(['# bad channel', 'everyone', '*', 'all', 'two words'])(
    'cannot be available to %s',
    async (who) => {
      await expect(register(bob, action('act', { availableTo: ['Alice', who] }))).rejects.toMatchObject({
        code: 'InvalidRequest',
        message: `The action "act" cannot be available to "${who}".`,
      });
    },
  );

  it('is removed when its owner disconnects', async () => {
    await register(bob, action('review.vote'));
    bob.disconnect();
    expect(await namesFor(alice)).toEqual([]);
    await expect(alice.request('INVOKE', { name: 'review.vote' })).rejects.toMatchObject({
      code: 'ActionNotFound',
    });
  });

  it('is visible only to those it is available to', async () => {
    const paul = await core.join(workspace, 'Paul', { type: 'human' });
    const carol = await core.join(workspace, 'Carol', { handle: '@cc' });
    const dora = await core.join(workspace, 'Dora', { lead: true });
    await carol.request('CHANNEL_CREATE', { name: 'ops' });
    await register(
      bob,
      action('by.name', { availableTo: ['alice', '@cc'] }),
      action('by.channel', { availableTo: ['#ops'] }),
      action('by.lead', { availableTo: ['lead'] }),
      action('by.person', { availableTo: ['human'] }),
      action('by.nobody', { availableTo: [] }),
    );
    expect(await namesFor(alice)).toEqual(['by.name']);
    expect(await namesFor(carol)).toEqual(['by.channel', 'by.name']);
    expect(await namesFor(dora)).toEqual(['by.lead']);
    expect(await namesFor(paul)).toEqual(['by.person']);
    expect(await namesFor(bob)).toHaveLength(5);
    expect(await namesFor(core.owner(workspace))).toHaveLength(5);
    expect(await namesFor(core.observerFromAfar(workspace))).toEqual([]);
    await expect(alice.request('INVOKE', { name: 'by.lead' })).rejects.toMatchObject({
      code: 'ActionNotFound',
    });
    expect(bob.calls).toEqual([]);
  });

  it('is always available to the owner of the daemon, also as a person', async () => {
    await register(bob, action('by.nobody', { availableTo: [] }));
    const petra = await core.join(workspace, 'Petra', { type: 'human' });
    expect(await namesFor(petra)).toEqual(['by.nobody']);
    expect(await namesFor(await core.ownerOnPage(workspace))).toEqual(['by.nobody']);
    expect(await namesFor(core.owner(workspace))).toEqual(['by.nobody']);
    petra.disconnect();
    const fromAfar = await core.joinFromAfar(workspace, 'Petra', { token: petra.token });
    expect(await namesFor(fromAfar)).toEqual([]);
  });

  it('is not available to a client that only claims to be one of those', async () => {
    await register(bob, action('for.all'), action('by.name', { availableTo: ['alice'] }));
    expect(await namesFor(alice.declared())).toEqual(['for.all']);
  });
});

describe('an invocation', () => {
  beforeEach(() => register(bob, action('vote', { inputSchema: { required: ['for'] } })));
  const input = { for: 'it' };
  const invoke = (more: Partial<OperationInput<'INVOKE'>> = {}, id?: string) =>
    alice.request('INVOKE', { name: 'vote', input, ...more }, id);

  it('is refused if it cannot work, and nothing is stored', async () => {
    await expect(invoke({ input: {} })).rejects.toMatchObject({ code: 'InvalidArguments' });
    await expect(invoke({ name: 'vot' })).rejects.toMatchObject({ details: { suggestions: ['vote'] } });
    expect(await alice.request('INVOCATIONS', {})).toEqual({ invocations: [] });
  });

  it('can be awaited, and continues when the wait ends', async () => {
    await invoke({ wait: true, timeoutMs: 1000 }, 'first');
    await bob.request('PROGRESS', { callId: bob.calls[0]?.callId ?? '', progress: 1 });
    expect(alice.progress).toEqual([{ id: 'first', progress: 1 }]);
    await bob.answer({ result: 7 });
    expect(await alice.outcomeOf('first')).toMatchObject({ result: { status: 'completed', result: 7 } });
    const { invocation } = await invoke({ wait: true, timeoutMs: 1000 }, 'second');
    core.clock.advance(1000);
    expect(await alice.outcomeOf('second')).toMatchObject({
      error: { code: 'Timeout', retryable: false, details: { invocationId: invocation.invocationId } },
    });
    expect(await bob.answer({ error: 'No.' })).toEqual({ open: true });
    await expect
      .poll(() => stored(alice, invocation.invocationId))
      .toMatchObject({ status: 'failed', error: { code: 'ToolFailed' } });
  });

  it('continues when its caller disconnects, and can be read after a reconnect', async () => {
    const { invocation } = await invoke({ wait: true });
    alice.disconnect();
    expect(await bob.answer({ result: 'done' })).toEqual({ open: true });
    const again = await core.join(workspace, 'Alice', { token: alice.token });
    await expect
      .poll(() => stored(again, invocation.invocationId))
      .toMatchObject({ status: 'completed', result: 'done' });
  });

  it('has a limited number of waiters: each counts as a call', async () => {
    const wait = { invocationId: 'mine', wait: true };
    for (let i = 0; i < 20; i++) await invoke(wait, `wait${i}`);
    const refusal = { code: 'LimitReached', details: { limit: 20, setting: 'quotas.calls' } };
    await expect(invoke(wait)).rejects.toMatchObject(refusal);
    await alice.request('CANCEL', { id: 'wait7' });
    await invoke({ ...wait, timeoutMs: 1000 });
    core.clock.advance(1000);
    await invoke(wait);
    await expect(invoke(wait)).rejects.toMatchObject(refusal);
    await bob.answer({ result: 'once' });
    await alice.outcomeOf('wait8');
    for (let i = 0; i < 20; i++) await invoke({ invocationId: `next${i}` });
  });

  it('is performed once per id, also when it is repeated before or after its end', async () => {
    await invoke({ invocationId: 'mine' });
    await invoke({ invocationId: 'mine', wait: true }, 'again');
    await bob.answer({ result: 'once' });
    expect(await alice.outcomeOf('again')).toMatchObject({ result: { result: 'once' } });
    expect((await invoke({ invocationId: 'mine', wait: true })).invocation).toMatchObject({
      status: 'completed',
    });
    expect(bob.calls).toHaveLength(1);
    await expect(invoke({ invocationId: 'mine', input: { for: 'me' } })).rejects.toMatchObject({
      code: 'IdConflict',
    });
    await register(bob, action('vote'), action('veto'));
    await expect(invoke({ invocationId: 'mine', name: 'veto' })).rejects.toMatchObject({
      code: 'IdConflict',
    });
    await expect(invoke({ invocationId: 'mine', name: 'VOTE' })).resolves.toBeDefined();
    const asked = { name: 'vote', input, invocationId: 'mine' };
    await expect(bob.request('INVOKE', asked)).rejects.toMatchObject({ code: 'IdConflict' });
  });

  it('with the same id at the same time is performed once', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => invoke({ invocationId: 'same' })));
    expect(new Set(ids.map(({ invocation }) => invocation.invocationId)).size).toBe(1);
    expect(bob.calls).toHaveLength(1);
  });

  it('is unknown if its owner disconnects, and never performed again', async () => {
    const { invocation } = await invoke({ invocationId: 'lost' });
    bob.disconnect();
    await expect
      .poll(() => stored(alice, invocation.invocationId))
      .toMatchObject({ status: 'unknown', error: { code: 'CalleeGone' } });
    const back = await core.join(workspace, 'Bob', { token: bob.token });
    await register(back, action('vote'));
    expect((await invoke({ invocationId: 'lost' })).invocation.status).toBe('unknown');
    expect(back.calls).toEqual([]);
  });

  it('fails if its owner leaves before it gets it', async () => {
    const invoking = invoke();
    // The action is found, and not yet on the disk.
    for (let i = 0; i < 10; i++) await undefined;
    bob.disconnect();
    const { invocation } = await invoking;
    expect(bob.calls).toEqual([]);
    await expect
      .poll(() => stored(alice, invocation.invocationId))
      .toMatchObject({ status: 'failed', error: { code: 'AgentOffline' } });
  });

  it('that needs consent waits for it, and fails if its owner leaves meanwhile', async () => {
    const petra = await core.join(workspace, 'Petra', { type: 'human' });
    await register(bob, action('deploy', { consent: true }));
    const deploy = async (id: string) =>
      (await alice.request('INVOKE', { name: 'deploy', wait: true }, id)).invocation.invocationId;
    await deploy('first');
    await expect.poll(() => petra.delivered).toHaveLength(1);
    expect(alice.progress).toMatchObject([{ id: 'first', message: 'Waiting for consent from Petra.' }]);
    await petra.reply(petra.delivered[0]?.id ?? '', 'yes');
    await expect.poll(() => bob.calls).toHaveLength(1);
    await bob.answer({ result: 'done' });
    expect(await alice.outcomeOf('first')).toMatchObject({ result: { status: 'completed' } });
    const second = await deploy('second');
    await expect.poll(() => petra.delivered).toHaveLength(2);
    await petra.reply(petra.delivered[1]?.id ?? '', 'no');
    expect(await alice.outcomeOf('second')).toMatchObject({
      result: { status: 'failed', error: { code: 'Denied' } },
    });
    const third = await deploy('third');
    await expect.poll(() => petra.delivered).toHaveLength(3);
    bob.disconnect();
    expect(await alice.outcomeOf('third')).toMatchObject({
      result: { invocationId: third, status: 'failed', error: { code: 'AgentOffline' } },
    });
    expect(second).not.toBe(third);
    expect(bob.calls).toHaveLength(1);
  });

  it('is unknown after the daemon was restarted, and never performed again', async () => {
    await invoke({ invocationId: 'lost' });
    await core.restart();
    const [same] = core.relay.workspaces.list().filter(({ id }) => id === workspace.id);
    if (!same) throw new Error('The workspace is gone.');
    const [ann, ben] = [
      await core.join(same, 'Alice', { token: alice.token }),
      await core.join(same, 'Bob', { token: bob.token }),
    ];
    await register(ben, action('vote'));
    const again = await ann.request('INVOKE', { name: 'vote', input, invocationId: 'lost' });
    expect(again.invocation).toMatchObject({ status: 'unknown' });
    expect(ben.calls).toEqual([]);
  });

  it('is visible only to its caller, its performer and the owner', async () => {
    const { invocation } = await invoke();
    const eve = await core.join(workspace, 'Eve');
    await expect(stored(eve, invocation.invocationId)).rejects.toMatchObject({ code: 'InvocationNotFound' });
    expect(await eve.request('INVOCATIONS', {})).toEqual({ invocations: [] });
    expect((await core.owner(workspace).request('INVOCATIONS', {})).invocations).toHaveLength(1);
  });

  it("of an agent's tool is recorded too", async () => {
    await alice.serve({ name: 'add' });
    const { invocation } = await bob.request('INVOKE', { name: 'Alice.add' });
    expect(invocation).toMatchObject({ actionName: 'Alice.add', owner: 'Alice' });
    expect(alice.calls).toMatchObject([{ tool: 'add', invocationId: invocation.invocationId }]);
    const { invocationId } = invocation;
    await expect(bob.request('INVOKE', { name: '@alice.add', invocationId })).resolves.toMatchObject({
      invocation: { invocationId },
    });
    await alice.serve({ name: 'add' }, { name: 'sum' });
    await expect(bob.request('INVOKE', { name: 'Alice.sum', invocationId })).rejects.toMatchObject({
      code: 'IdConflict',
    });
  });

  it('is kept if it is among the newest ended ones of its account', async () => {
    for (let i = 0; i < 8; i++) {
      core.clock.advance(1);
      await invoke();
      await bob.answer({ result: i });
    }
    const results = async () =>
      (await alice.request('INVOCATIONS', {})).invocations.map(({ result }) => result);
    await expect.poll(results).toEqual([7, 6, 5, 4, 3]);
  });

  it('counts together with those of other agents of the same key', async () => {
    const ann = await core.joinFromAfar(workspace, 'Ann');
    const ben = await core.joinFromAfar(workspace, 'Ben');
    for (const [i, who] of [ann, ann, ann, ben, ben, ben, ben].entries()) {
      core.clock.advance(1);
      await who.request('INVOKE', { name: 'vote', input });
      await bob.answer({ result: i });
    }
    const owner = core.owner(workspace);
    const results = async () =>
      (await owner.request('INVOCATIONS', {})).invocations.map(({ result }) => result);
    await expect.poll(results).toEqual([6, 5, 4, 3, 2]);
  });

  it('is kept if the inputs and results of its account fit in the quota', async () => {
    for (let i = 0; i < 4; i++) {
      core.clock.advance(1);
      await invoke();
      await bob.answer({ result: `${i}${'x'.repeat(3500)}` });
    }
    const results = async () =>
      (await alice.request('INVOCATIONS', {})).invocations.map(({ result }) => String(result)[0]);
    await expect.poll(results).toEqual(['3', '2']);
  });
});
