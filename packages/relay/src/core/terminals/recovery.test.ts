import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';
import { git, newRepository } from '../../../../../test/kit/repository.ts';
import type { Run } from '../ports/store/runs.ts';
import type { Workspace } from '../ports/store/workspaces.ts';

let core: TestCore;
let workspace: Workspace;
let lead: Participant;
let repository: string;
beforeEach(async () => {
  repository = mkdtempSync(join(tmpdir(), 'relay-recovery-'));
  await newRepository(repository);
  core = await openCore();
  workspace = await core.newWorkspace();
  lead = await core.join(workspace, 'Boss');
});
afterEach(async () => {
  await core[Symbol.asyncDispose]();
  rmSync(repository, { recursive: true });
});

const branches = () => git(repository, 'for-each-ref', '--format=%(refname:short)', 'refs/heads');
const runOf = (name: string): Run => {
  const run = core.relay.terminals.runs.of(core.relay.agents.get(workspace, name).id);
  if (!run) throw new Error(`${name} has no run.`);
  return run;
};
const entries = async (action: string) =>
  (await core.owner(workspace).request('AUDIT', {})).entries.filter((entry) => entry.action === action);

/** The daemon is killed where the work of `at` begins: nothing after that happens. */
async function killedAt(
  at: 'start' | 'record',
  request: () => Promise<unknown>,
  check: () => void = () => undefined,
): Promise<void> {
  const { processes } = core;
  const { start } = processes;
  const reached = Promise.withResolvers<void>();
  processes.start = async (program, record) => {
    if (at === 'record') await start.call(processes, program, record);
    reached.resolve();
    await new Promise(() => undefined);
  };
  void request().catch(() => undefined);
  await reached.promise;
  processes.start = start;
  check();
  await core.restart();
  lead = await core.join(workspace, 'Boss', { token: lead.token });
}

it('withdraws an agent that was never started: its name is free, and its worktree is gone', async () => {
  const wish = { name: 'Worker', cli: 'claude', task: 'Go', cwd: repository, worktree: true, waitMs: 0 };
  await killedAt(
    'start',
    () => lead.request('SPAWN', wish),
    () => expect(branches()).toContain('relay/Worker'),
  );
  expect(core.relay.agents.find(workspace, 'Worker')).toBeUndefined();
  expect(branches()).toBe('main');
  expect(git(repository, 'worktree', 'list').split('\n')).toHaveLength(1);
  expect(await entries('agent.spawn_failed')).toMatchObject([
    { subject: 'Worker', detail: { reason: 'the daemon stopped before it was started' } },
  ]);
  const told = async () => (await lead.request('INBOX', {})).messages.map(({ content }) => content);
  await expect.poll(told).toEqual(['Worker "Worker" ended: the daemon stopped before it was started.']);
  await lead.request('SPAWN', { name: 'Worker', cli: 'claude', waitMs: 0 });
});

it('keeps an agent that was about to be resumed, which can be resumed again', async () => {
  await lead.request('SPAWN', { name: 'Worker', cli: 'claude', waitMs: 0 });
  const { run = '', token = '' } = core.processes.started.at(-1) ?? {};
  const host = await core.join(workspace, 'Worker', { token });
  const process = core.processes.hostOf(run);
  const facts = { run, cli: 'claude', cwd: '/work', startedAt: 1 };
  await host.request('HOST', { ...facts, host: process, program: { pid: 5000, mark: 'x' } });
  await host.request('RUN_REPORT', { run, session: 'abc', exit: { code: 0 } });
  await killedAt('start', () => lead.request('RESUME', { agent: 'Worker', waitMs: 0 }));
  expect(runOf('Worker')).toMatchObject({ endedAt: expect.any(Number), session: 'abc' });
  expect(await entries('agent.resumed')).toHaveLength(1);
  expect(await entries('agent.resume_failed')).toHaveLength(1);
  await lead.request('RESUME', { agent: 'Worker', waitMs: 0 });
  expect(core.processes.started.at(-1)).toMatchObject({ resume: 'abc' });
});

it('goes on with an agent whose host is recorded, or ends its run with the reason', async () => {
  await killedAt('record', () => lead.request('SPAWN', { name: 'Worker', cli: 'claude', waitMs: 0 }));
  expect(runOf('Worker')).toMatchObject({ host: { pid: 1001 }, endedAt: undefined });
  core.processes.alive.clear();
  await core.restart();
  expect(runOf('Worker')).toMatchObject({ ended: 'its host process ended without a report' });
  await core.owner(workspace).request('RELEASE', { agent: 'Worker' });
  expect(core.relay.agents.find(workspace, 'Worker')).toBeUndefined();
});

it('records a release before it ends anything', async () => {
  await lead.request('SPAWN', { name: 'Worker', cli: 'claude', waitMs: 0 });
  core.processes.end = async () => {
    expect(await entries('agent.release_requested')).toMatchObject([{ subject: 'Worker', actor: 'Boss' }]);
    throw new Error('it cannot be ended');
  };
  await expect(lead.request('RELEASE', { agent: 'Worker' })).rejects.toThrow('it cannot be ended');
  expect(await entries('agent.release_failed')).toMatchObject([{ detail: { error: 'it cannot be ended' } }]);
  expect(await entries('agent.released')).toEqual([]);
});

it('does not start an agent that is released while its worktree is set up', async () => {
  const spawning = lead.request('SPAWN', {
    ...{ name: 'Worker', cli: 'claude', cwd: repository, worktree: true, setup: 'sleep 600', waitMs: 0 },
  });
  const failing = expect(spawning).rejects.toMatchObject({
    code: 'SpawnFailed',
    message: '"Worker" (claude) was released before it was ready.',
  });
  await expect.poll(() => lead.events.some(({ type }) => type === 'spawn.progress')).toBe(true);
  await expect.poll(branches).toContain('relay/Worker');
  expect(await lead.request('RELEASE', { agent: 'Worker' })).toEqual({ name: 'Worker' });
  await failing;
  expect(branches()).toBe('main');
  expect(core.processes.started).toEqual([]);
});
