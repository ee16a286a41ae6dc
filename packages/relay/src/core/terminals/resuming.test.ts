import { afterEach, beforeEach, expect, it } from 'vitest';
import { openCore, type Participant, QUOTAS, type TestCore } from '../../../../../test/kit/core.ts';
import type { Workspace } from '../ports/store/workspaces.ts';

let core: TestCore;
let workspace: Workspace;
let lead: Participant;
beforeEach(async () => {
  core = await openCore({ quotas: { ...QUOTAS, spawns: 2 } });
  workspace = await core.newWorkspace();
  lead = await core.join(workspace, 'Boss');
});
afterEach(() => core[Symbol.asyncDispose]());

const GONE = { pid: 1001, mark: 'x' };

/** The latest host of the agent as it connects. */
async function hosted(name: string): Promise<Participant> {
  const program = core.processes.started.findLast((one) => one.name === name);
  if (!program) throw new Error(`${name} was not started.`);
  const { run } = program;
  const host = await core.join(workspace, name, { token: program.token });
  host.connect({ paths: ['pty'], receiver: run });
  const started = core.processes.hostOf(run);
  await host.request('HOST', {
    ...{ run, cli: 'claude', cwd: '/work', startedAt: 1 },
    host: started,
    program: { pid: started.pid + 1000, mark: 'x' },
  });
  return host;
}

/** A worker that had a conversation, and whose host was killed. */
async function interrupted(name: string, session?: string): Promise<void> {
  await lead.request('SPAWN', {
    name,
    cli: 'claude',
    model: 'big',
    args: ['--fast'],
    cwd: '/work',
    waitMs: 0,
  });
  const host = await hosted(name);
  const { run = '' } = core.processes.started.at(-1) ?? {};
  if (session !== undefined) await host.request('RUN_REPORT', { run, session });
  host.disconnect();
  core.processes.alive.clear();
}
const resume = (name: string, by = lead) => by.request('RESUME', { agent: name, waitMs: 0 });
const runOf = async (name: string) =>
  (await core.owner(workspace).request('WHO', { includeOffline: true })).agents.find(
    (one) => one.name === name,
  );

it('starts a worker again as the same agent, in its conversation', async () => {
  await interrupted('Worker', 'abc');
  await lead.request('SEND', { to: 'Worker', content: 'Still there?' });
  const [before] = core.processes.started;
  expect(await resume('Worker')).toEqual({ name: 'Worker', status: 'spawning' });
  const after = core.processes.started.at(-1);
  expect(after).toMatchObject({
    name: 'Worker',
    resume: 'abc',
    model: 'big',
    args: ['--fast'],
    cwd: '/work',
  });
  expect(after?.run).not.toBe(before?.run);
  // What was left of the earlier run is gone.
  expect(core.processes.ended).toEqual([GONE.pid]);
  expect(await runOf('Worker')).toMatchObject({ parent: 'Boss', run: { state: 'starting', spawned: true } });
  const host = await hosted('Worker');
  await host.request('REPORT', { path: 'pty', state: 'ready' });
  expect(await runOf('Worker')).toMatchObject({ run: { state: 'ready' } });
  // What waited reaches it.
  const { messages } = await host.request('CLAIM', { path: 'pty' });
  expect(messages.map(({ content }) => content)).toEqual(['Still there?']);
});

it('leaves deliveries in progress uncertain, and gives the others to the resumed agent', async () => {
  await lead.request('SPAWN', { name: 'Worker', cli: 'claude', waitMs: 0 });
  const host = await hosted('Worker');
  const { run = '' } = core.processes.started.at(-1) ?? {};
  await host.request('RUN_REPORT', { run, session: 'abc' });
  const first = await lead.request('SEND', { to: 'Worker', content: 'One' });
  const second = await lead.request('SEND', { to: 'Worker', content: 'Two' });
  await host.request('CLAIM', { path: 'pty', limit: 1 });
  host.disconnect();
  core.processes.alive.clear();
  await resume('Worker');
  const again = await hosted('Worker');
  const { messages } = await again.request('CLAIM', { path: 'pty' });
  expect(messages.map(({ id }) => id)).toEqual([second.messageId]);
  const trace = await lead.request('TRACE', { id: first.messageId });
  expect(JSON.stringify(trace)).toContain('uncertain');
});

it('says why an agent cannot be resumed', async () => {
  await expect(resume('Boss')).rejects.toMatchObject({ code: 'NotResumable', message: /never ran/ });
  await interrupted('Silent');
  await expect(resume('Silent')).rejects.toMatchObject({ code: 'NotResumable', message: /no conversation/ });
  await lead.request('RELEASE', { agent: 'Silent' });
  await lead.request('SPAWN', { name: 'Alive', cli: 'claude', waitMs: 0 });
  await expect(resume('Alive')).rejects.toMatchObject({ code: 'NotResumable', message: /still running/ });
});

it('is allowed for those who may release it, within the quota', async () => {
  await interrupted('Worker', 'abc');
  const other = await core.join(workspace, 'Other');
  await expect(resume('Worker', other)).rejects.toMatchObject({ code: 'Forbidden' });
  const remote = await core.joinFromAfar(workspace, 'Remote');
  await expect(resume('Worker', remote)).rejects.toMatchObject({ code: 'Forbidden' });
  core.clock.advance(30_000);
  await expect.poll(async () => (await runOf('Worker'))?.run?.state).toBe('exited');
  for (const name of ['W1', 'W2']) await lead.request('SPAWN', { name, cli: 'claude', waitMs: 0 });
  await expect(resume('Worker')).rejects.toMatchObject({ code: 'LimitReached' });
});

it('keeps an agent that could not be started, and its conversation', async () => {
  await interrupted('Worker', 'abc');
  const { start } = core.processes;
  core.processes.start = async () => {
    throw new Error('no processes left');
  };
  await expect(resume('Worker')).rejects.toThrow('no processes left');
  core.processes.start = start;
  await resume('Worker');
  expect(core.processes.started.at(-1)).toMatchObject({ resume: 'abc' });
});

it("returns the command to run for an agent in a person's terminal", async () => {
  const host = await core.join(workspace, 'Ada');
  host.connect({ paths: ['pty'], receiver: 'run_ada' });
  const facts = { run: 'run_ada', cli: 'claude', args: ['--model', 'x'], cwd: '/work', startedAt: 1 };
  await host.request('HOST', { ...facts, host: GONE, program: GONE });
  await host.request('RUN_REPORT', { run: 'run_ada', session: 'abc', exit: { code: 0 } });
  expect(await resume('Ada', core.owner(workspace))).toEqual({
    ...{
      name: 'Ada',
      status: 'foreground',
      cli: 'claude',
      args: ['--model', 'x'],
      cwd: '/work',
      session: 'abc',
    },
  });
});
