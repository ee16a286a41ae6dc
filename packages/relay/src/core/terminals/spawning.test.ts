import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCore, type Participant, QUOTAS, type TestCore } from '../../../../../test/kit/core.ts';
import type { Workspace } from '../ports/store/workspaces.ts';

let core: TestCore;
let workspace: Workspace;
let lead: Participant;
beforeEach(async () => {
  core = await openCore({ quotas: { ...QUOTAS, spawns: 2, channels: 1 } });
  workspace = await core.newWorkspace();
  lead = await core.join(workspace, 'Boss');
});
afterEach(() => core[Symbol.asyncDispose]());

const spawn = (name: string, more: Record<string, unknown> = {}, by = lead) =>
  by.request('SPAWN', { name, cli: 'claude', waitMs: 0, ...more });

/** The agent's host as it connects. */
async function hosted(name: string, paths: Array<'hook' | 'pty'> = ['pty']): Promise<Participant> {
  const program = core.processes.started.findLast((one) => one.name === name);
  if (!program) throw new Error(`${name} was not started.`);
  const host = await core.join(workspace, name, { token: program.token });
  host.connect({ paths, receiver: program.run });
  const started = core.processes.hostOf(program.run);
  await host.request('HOST', {
    run: program.run,
    cli: 'claude',
    cwd: '/work',
    host: started,
    program: { pid: started.pid + 1000, mark: 'x' },
    startedAt: 1,
  });
  return host;
}
const runOf = async (name: string) =>
  (await core.owner(workspace).request('WHO', { includeOffline: true })).agents.find(
    (one) => one.name === name,
  )?.run;
const noticesOf = async (agent: Participant) =>
  (await agent.request('INBOX', { limit: 100 })).messages.map(({ content }) => content);

/** Whether the request is answered once the core has done all that it can do without time. */
const isAnswered = async (spawning: Promise<unknown>): Promise<boolean> => {
  await core.owner(workspace).request('WHO', {});
  return Promise.race([spawning.then(() => true), Promise.resolve(false).then((is) => is)]);
};

describe('SPAWN', () => {
  it.each<[string, (run: string) => unknown, { message: string; next: string }]>([
    [
      'that ended',
      async (run) => (await hosted('Worker')).request('RUN_REPORT', { run, exit: { code: 1 } }),
      {
        message: '"Worker" (claude) ended before it was ready with exit code 1.',
        next: `Start it in a terminal to see why, in /work: claude --bad 'it'\\''s'`,
      },
    ],
    [
      'that its host could not start',
      (run) => core.processes.onHostEnded(run, { message: 'The disk is full.', next: 'Free some space.' }),
      { message: '"Worker" (claude) could not be started: The disk is full.', next: 'Free some space.' },
    ],
    [
      'whose host was killed',
      (run) => core.processes.onHostEnded(run, undefined),
      {
        message: '"Worker" (claude) could not be started: its host process ended without a report.',
        next: expect.stringContaining('see hosts.log'),
      },
    ],
    [
      'that was released',
      () => lead.request('RELEASE', { agent: 'Worker' }),
      {
        message: '"Worker" (claude) was released before it was ready.',
        next: 'Spawn it again if it is still needed.',
      },
    ],
  ])('fails for a program %s, with a next step that fits', async (_, end, error) => {
    const spawning = spawn('Worker', { waitMs: 60_000, args: ['--bad', "it's"] });
    const failing = expect(spawning).rejects.toMatchObject({ code: 'SpawnFailed', ...error });
    await expect.poll(() => core.processes.started).toHaveLength(1);
    await end(core.processes.started[0]?.run ?? '');
    await failing;
    expect(core.relay.agents.find(workspace, 'Worker')).toBeUndefined();
  });

  it('stores the task before it starts the program', async () => {
    core.processes.start = async () => {
      const { messages } = await core.owner(workspace).request('HISTORY', {});
      expect(messages).toMatchObject([{ from: 'Boss', to: 'Worker', kind: 'directive', content: 'Go' }]);
      throw new Error('no processes left');
    };
    await expect(spawn('Worker', { task: 'Go' })).rejects.toThrow('no processes left');
    // What could not be started is not there.
    expect(await runOf('Worker')).toBeUndefined();
    expect(core.relay.agents.find(workspace, 'Worker')).toBeUndefined();
  });

  it('that is sent again is the same request, also to another daemon, and starts nothing more', async () => {
    const wish = { name: 'Worker', cli: 'claude', waitMs: 0 };
    const again = (by: Participant) => by.request('SPAWN', wish, 'c1-lost');
    const spawned = { name: 'Worker', status: 'spawning' };
    expect(await Promise.all([again(lead), again(lead.again())])).toEqual([spawned, spawned]);
    await core.restart();
    lead = await core.join(workspace, 'Boss', { token: lead.token });
    expect(await again(lead)).toEqual(spawned);
    expect(core.processes.started).toHaveLength(1);
    const taken = { code: 'NameTaken' };
    await expect(spawn('Worker')).rejects.toMatchObject(taken);
    await expect(again(core.owner(workspace))).rejects.toMatchObject(taken);
    const ended = await hosted('Worker');
    const { run = '' } = core.processes.started[0] ?? {};
    await ended.request('RUN_REPORT', { run, exit: { code: 1 } });
    await expect(again(lead)).rejects.toMatchObject({ code: 'SpawnFailed' });
    expect(core.relay.agents.find(workspace, 'Worker')).toBeUndefined();
  });

  it('is in the audit log before its program starts, and why it was not started too', async () => {
    const actions = async () =>
      (await core.owner(workspace).request('AUDIT', {})).entries
        .filter(({ subject }) => subject === 'Worker')
        .map(({ action, detail }) => [action, detail?.reason]);
    core.processes.start = async () => {
      expect(await actions()).toEqual([
        ['agent.spawned', undefined],
        ['agent.registered', undefined],
      ]);
      throw new Error('no processes left');
    };
    await expect(spawn('Worker')).rejects.toThrow('no processes left');
    expect((await actions())[0]).toEqual(['agent.spawn_failed', 'no processes left']);
  });

  it.each([
    ['a task without text', { task: ' ' }, 'EmptyBody'],
    ['a channel that cannot exist', { channels: ['two words'] }, 'InvalidName'],
    ['a channel too many', { channels: ['one', 'two'] }, 'LimitReached'],
  ])('is refused with %s, which nobody is told otherwise', async (_what, more, code) => {
    await expect(spawn('Worker', { task: 'Go', ...more })).rejects.toMatchObject({ code });
    expect(core.processes.started).toEqual([]);
    expect(await runOf('Worker')).toBeUndefined();
    // Whatever was about to be sent is sent before.
    await core.restart();
    const again = await core.join(workspace, 'Boss', { token: lead.token });
    expect(await noticesOf(again)).toEqual([]);
  });

  it('is ready when a turn with the task was observed, and not before', async () => {
    const spawning = spawn('Worker', { task: 'Go', waitMs: 20_000 });
    await expect.poll(() => core.clock.isAwaited(20_000)).toBe(true);
    const host = await hosted('Worker');
    await host.request('REPORT', { path: 'pty', state: 'ready' });
    expect(await runOf('Worker')).toMatchObject({ state: 'starting' });
    const { messages } = await host.request('CLAIM', { path: 'pty' });
    const ids = messages.map(({ id }) => id);
    await host.request('REPORT', { path: 'pty', messages: ids, state: 'turn_started' });
    expect(await spawning).toEqual({ name: 'Worker', status: 'ready' });
    expect(await noticesOf(lead)).toEqual([]);
  });

  it('reports after the timeout what the agent waits for, and later that it is ready', async () => {
    const spawning = spawn('Worker', { waitMs: 20_000 });
    await expect.poll(() => core.clock.isAwaited(20_000)).toBe(true);
    const host = await hosted('Worker');
    await host.request('REPORT', { path: 'pty', state: 'waits', reason: { code: 'starting' } });
    core.clock.advance(19_999);
    expect(await isAnswered(spawning)).toBe(false);
    core.clock.advance(1);
    expect(await spawning).toMatchObject({ status: 'spawning', reason: { code: 'starting' } });
    await host.request('REPORT', { path: 'pty', state: 'ready' });
    await expect.poll(() => noticesOf(lead)).toEqual(['Worker "Worker" is ready.']);
  });

  it.each([
    [{ code: 'starting', detail: 'trust question' }, 'the agent is starting: trust question'],
    [{ code: 'approval_dialog' }, 'approval dialog open'],
    [{ code: 'signed_out' }, 'signed out'],
  ] as const)('returns at once if a person is needed: %j', async (reason, text) => {
    const spawning = spawn('Worker', { task: 'Go', waitMs: 600_000 });
    await expect.poll(() => core.clock.isAwaited(600_000)).toBe(true);
    const host = await hosted('Worker', ['hook', 'pty']);
    await host.request('REPORT', { path: 'pty', state: 'waits', reason });
    core.clock.advance(1000);
    await host.request('REPORT', { path: 'hook', state: 'waits', reason: { code: 'no_hook' } });
    core.clock.advance(999);
    expect(await isAnswered(spawning)).toBe(false);
    core.clock.advance(1);
    expect(await spawning).toMatchObject({ status: 'spawning', reason: { code: reason.code, text } });
    // The person has answered, and the task is there.
    await host.request('REPORT', { path: 'pty', state: 'ready' });
    const { messages } = await host.request('CLAIM', { path: 'pty' });
    const ids = messages.map(({ id }) => id);
    await host.request('REPORT', { path: 'pty', messages: ids, state: 'turn_started' });
    await expect.poll(() => noticesOf(lead)).toEqual(['Worker "Worker" is ready.']);
  });

  it('keeps waiting if a question disappears by itself', async () => {
    const spawning = spawn('Worker', { task: 'Go', waitMs: 20_000 });
    await expect.poll(() => core.clock.isAwaited(20_000)).toBe(true);
    const host = await hosted('Worker');
    await host.request('REPORT', { path: 'pty', state: 'waits', reason: { code: 'approval_dialog' } });
    core.clock.advance(1999);
    await host.request('REPORT', { path: 'pty', state: 'ready' });
    core.clock.advance(10_000);
    expect(await isAnswered(spawning)).toBe(false);
    core.clock.advance(10_000);
    expect(await spawning).toEqual({ name: 'Worker', status: 'spawning' });
  });

  it('is allowed for people and agents on this machine', async () => {
    const remote = await core.joinFromAfar(workspace, 'Remote');
    await expect(spawn('Worker', {}, remote)).rejects.toMatchObject({ code: 'Forbidden' });
    await expect(spawn('Worker', {}, lead.declared())).rejects.toMatchObject({ code: 'Forbidden' });
    expect(await spawn('Worker', {}, core.owner(workspace))).toMatchObject({ status: 'spawning' });
    await expect(spawn('Other', { cwd: '/elsewhere' })).rejects.toMatchObject({ code: 'Forbidden' });
    await spawn('Other', { cwd: '/elsewhere' }, core.owner(workspace));
  });

  it('is allowed for remote agents with a grant, without their environment and commands', async () => {
    const remote = await core.joinFromAfar(workspace, 'Remote');
    const owner = core.owner(workspace);
    await owner.request('AGENT_SET', { agent: 'Remote', grant: ['spawn'] });
    await spawn('Worker', { env: { PATH: '/theirs' } }, remote);
    expect(core.processes.started.at(-1)).toMatchObject({ name: 'Worker', env: undefined });
    const withSetup = spawn('Other', { worktree: true, setup: 'true' }, remote);
    await expect(withSetup).rejects.toMatchObject({ code: 'Forbidden' });
    await expect(spawn('Other', { cwd: '/elsewhere' }, remote)).rejects.toMatchObject({ code: 'Forbidden' });
    await remote.request('RELEASE', { agent: 'Worker' });
    await owner.request('AGENT_SET', { agent: 'Remote', revoke: ['spawn'] });
    await expect(spawn('Worker', {}, remote)).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it('counts spawns by processes of an ended worker for its spawner', async () => {
    await spawn('Worker');
    const worker = await hosted('Worker');
    const { run = '' } = core.processes.started.at(-1) ?? {};
    await worker.request('RUN_REPORT', { run, exit: { code: 0 } });
    await spawn('One', {}, worker);
    await spawn('Two');
    for (const by of [worker, lead])
      await expect(spawn('Three', {}, by)).rejects.toMatchObject({ code: 'LimitReached' });
  });

  it('counts workers of workers for the first spawner', async () => {
    await spawn('One');
    const one = await hosted('One');
    await spawn('Two', {}, one);
    await expect(spawn('Three', {}, one)).rejects.toMatchObject({ code: 'LimitReached' });
    await expect(spawn('Three')).rejects.toMatchObject({ code: 'LimitReached' });
  });
});

it('ends all waits when the daemon stops', async () => {
  const spawning = spawn('Worker', { task: 'Go', waitMs: 600_000 });
  await expect.poll(() => core.processes.started.length).toBe(1);
  const awaited = lead.request('RESULT_AWAIT', { agent: 'Worker', timeoutMs: 86_400_000 });
  core.relay.terminals.stopWaiting();
  expect(await spawning).toEqual({ name: 'Worker', status: 'spawning' });
  expect(await awaited).toEqual({ running: true });
});

describe('RELEASE', () => {
  it('returns when host and program have ended, and the name is free', async () => {
    await spawn('Worker');
    const host = await hosted('Worker');
    lead.watch();
    const releasing = lead.request('RELEASE', { agent: 'worker' });
    await expect.poll(() => host.events.some(({ type }) => type === 'run.end')).toBe(true);
    expect(core.processes.ended).toEqual([]);
    const { run = '' } = core.processes.started[0] ?? {};
    await host.request('RUN_REPORT', { run, exit: { code: 0, signal: 'SIGHUP' } });
    expect(await releasing).toEqual({ name: 'Worker', exit: { code: 0, signal: 'SIGHUP' } });
    expect(core.processes.ended).toHaveLength(1);
    expect(await noticesOf(lead)).toEqual([]);
    expect(lead.events).toContainEqual(expect.objectContaining({ type: 'session.exited', released: true }));
    await spawn('Worker');
  });

  it('does not wait for a host that does not answer', async () => {
    await spawn('Worker');
    const host = await hosted('Worker');
    const releasing = lead.request('RELEASE', { agent: 'Worker' });
    await expect.poll(() => host.events.some(({ type }) => type === 'run.end')).toBe(true);
    core.clock.advance(8000);
    expect(await releasing).toEqual({ name: 'Worker' });
  });

  it('is allowed for the parent, the owner and people, by verified identity', async () => {
    await spawn('Worker');
    const worker = await hosted('Worker');
    const liar = await core.join(workspace, 'Liar');
    await expect(liar.request('RELEASE', { agent: 'Worker' })).rejects.toMatchObject({ code: 'Forbidden' });
    await expect(worker.request('RELEASE', { agent: 'Worker' })).rejects.toMatchObject({ code: 'Forbidden' });
    await expect(lead.request('RELEASE', { agent: 'Boss' })).rejects.toMatchObject({ code: 'NotRunning' });
    worker.disconnect();
    await core.owner(workspace).request('RELEASE', { agent: 'Worker' });
  });
});

describe('a run', () => {
  it('is ready after a restart only when its task was seen', async () => {
    await spawn('Worker', { task: 'Go' });
    await core.restart();
    lead = await core.join(workspace, 'Boss', { token: lead.token });
    const host = await hosted('Worker');
    await host.request('REPORT', { path: 'pty', state: 'ready' });
    expect(await runOf('Worker')).toMatchObject({ state: 'starting' });
    const { messages } = await host.request('CLAIM', { path: 'pty' });
    const ids = messages.map(({ id }) => id);
    await host.request('REPORT', { path: 'pty', messages: ids, state: 'turn_started' });
    expect(await runOf('Worker')).toMatchObject({ state: 'ready' });
    await expect.poll(() => noticesOf(lead)).toEqual(['Worker "Worker" is ready.']);
  });

  it('is known after a restart, and ends when its host is gone', async () => {
    await spawn('Worker');
    await spawn('Other');
    await core.restart();
    lead = await core.join(workspace, 'Boss', { token: lead.token });
    expect(await runOf('Worker')).toMatchObject({ state: 'starting', spawned: true });
    core.processes.alive.delete(1001);
    core.clock.advance(30_000);
    await expect.poll(() => runOf('Worker')).toMatchObject({ state: 'exited', ended: expect.any(String) });
    expect(await runOf('Other')).toMatchObject({ state: 'starting' });
    await expect
      .poll(() => noticesOf(lead))
      .toEqual(['Worker "Worker" ended: its host process ended without a report.']);
  });
});

it('releases workers whose parent is gone, if the settings say so', async () => {
  await using strict = await openCore({ terminals: { orphans: 'release' } });
  const place = await strict.newWorkspace();
  const parent = await strict.join(place, 'Boss');
  await parent.request('SPAWN', { name: 'Orphan', cli: 'claude', waitMs: 0 });
  await strict.owner(place).request('AGENT_REMOVE', { agent: 'Boss' });
  await expect.poll(() => strict.processes.ended).toEqual([1001]);
  await expect.poll(() => strict.relay.agents.find(place, 'Orphan')).toBeUndefined();
});

it('releases workers whose parent has left its terminal, if the settings say so', async () => {
  await using strict = await openCore({ terminals: { orphans: 'release' } });
  const place = await strict.newWorkspace();
  const parent = await strict.join(place, 'Boss');
  const host = { pid: 7, mark: 'x' };
  const run = { run: 'run_boss', cli: 'claude', cwd: '/work', host, program: host, startedAt: 1 };
  parent.connect({ paths: ['pty'], receiver: 'run_boss' });
  await parent.request('HOST', run);
  await parent.request('SPAWN', { name: 'Orphan', cli: 'claude', waitMs: 0 });
  await parent.request('RUN_REPORT', { run: 'run_boss', exit: { code: 0 } });
  await expect.poll(() => strict.relay.agents.find(place, 'Orphan')).toBeUndefined();
  expect(strict.relay.agents.find(place, 'Boss')).toBeDefined();
});

it('keeps workers whose parent is gone, by default', async () => {
  await lead.request('SPAWN', { name: 'Kept', cli: 'claude', waitMs: 0 });
  const before = core.processes.ended.length;
  await core.owner(workspace).request('AGENT_REMOVE', { agent: lead.name });
  expect(await runOf('Kept')).toMatchObject({ state: 'starting' });
  expect(core.processes.ended).toHaveLength(before);
});
