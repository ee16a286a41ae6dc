import type { OperationInput } from '@agent-relay/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { GONE_AFTER_MS, openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';
import type { Workspace } from '../ports/store/workspaces.ts';

let core: TestCore;
let workspace: Workspace;
let bea: Participant;
beforeEach(async () => {
  core = await openCore();
  workspace = await core.newWorkspace();
  bea = await core.join(workspace, 'Bea');
});
afterEach(() => core[Symbol.asyncDispose]());

const facts = (run: string, pid: number): OperationInput<'HOST'> => ({
  ...{ run, cli: 'claude', cwd: '/', startedAt: 1, terminal: `/dev/pts/${pid}` },
  host: { pid, mark: 'host' },
});
const begin = (by: Participant, run: string, pid: number) => by.request('HOST', facts(run, pid));
/** From now on its program runs. */
async function runs(by: Participant, run: string, pid: number): Promise<void> {
  core.processes.alive.add(pid);
  await by.request('HOST', { ...facts(run, pid), program: { pid: pid + 1, mark: 'program' } });
}
const refused = (where: string) => ({
  code: 'NameInUse',
  message: `Bea is already running (${where}).`,
  next: expect.stringContaining('agent-relay attach Bea'),
});

it('is one at a time: the error for a second one says where the first is', async () => {
  await begin(bea, 'run_1', 7);
  await expect(begin(bea.again(), 'run_2', 8)).rejects.toMatchObject(refused('claude, pid 7, in /dev/pts/7'));
  await runs(bea, 'run_1', 7);
  await expect(begin(bea.again(), 'run_2', 8)).rejects.toMatchObject(refused('claude, pid 7, in /dev/pts/7'));
  await expect(runs(bea.again(), 'run_2', 8)).rejects.toMatchObject({ code: 'NameInUse' });
  await bea.request('RUN_REPORT', { run: 'run_1', exit: { code: 0 } });
  await begin(bea.again(), 'run_2', 8);
});

it('belongs to its own agent, whatever its host says', async () => {
  await runs(bea, 'run_1', 7);
  const eve = await core.joinFromAfar(workspace, 'Eve');
  for (const forge of [begin(eve, 'run_1', 8), runs(eve, 'run_1', 8)])
    await expect(forge).rejects.toMatchObject({ code: 'IdConflict' });
});

it('has a directory and arguments of limited size', async () => {
  const eve = await core.joinFromAfar(workspace, 'Eve');
  const args = Array.from({ length: 5 }, () => 'x'.repeat(4000));
  await expect(eve.request('HOST', { ...facts('run_1', 7), args })).rejects.toMatchObject({
    code: 'LimitReached',
    details: { setting: 'quotas.profileBytes' },
  });
});

it('frees its name if its program does not start', async () => {
  const failing = bea.again();
  await begin(failing, 'run_1', 7);
  failing.disconnect();
  await begin(bea, 'run_2', 8);
});

it('is known after a restart of the daemon, and reconnects', async () => {
  await runs(bea, 'run_1', 7);
  await core.restart();
  const again = await core.join(workspace, 'Bea', { token: bea.token });
  await expect(begin(again, 'run_2', 8)).rejects.toMatchObject(refused('claude, pid 7'));
  await runs(again, 'run_1', 7);
  const { agents } = await core.owner(workspace).request('WHO', { agent: 'Bea' });
  expect(agents[0]?.run).toMatchObject({ state: 'starting' });
});

it('is replaced by the next one if its host was killed, even before that is noticed', async () => {
  await runs(bea, 'run_1', 7);
  bea.disconnect();
  core.processes.alive.clear();
  const next = bea.again();
  await begin(next, 'run_2', 8);
  await runs(next, 'run_2', 8);
  await next.request('RUN_REPORT', { run: 'run_2', session: 'abc' });
});

const shownRun = async () =>
  (await core.owner(workspace).request('WHO', { agent: 'Bea', includeOffline: true })).agents[0]?.run;

it('is shown as ended as soon as its host was killed, also together with the daemon', async () => {
  await runs(bea, 'run_1', 7);
  bea.disconnect();
  expect(await shownRun()).toMatchObject({ state: 'starting' });
  core.processes.alive.clear();
  expect(await shownRun()).toMatchObject({
    state: 'exited',
    ended: 'its host process ended without a report',
  });
  const next = bea.again();
  await runs(next, 'run_2', 8);
  core.processes.alive.clear();
  await core.restart();
  expect(await shownRun()).toMatchObject({
    state: 'exited',
    ended: 'its host process ended without a report',
  });
});

it('was released, also if its host ends without a report then', async () => {
  await runs(bea, 'run_1', 7);
  const released = core.owner(workspace).request('RELEASE', { agent: 'Bea' });
  await expect.poll(() => bea.events.some(({ type }) => type === 'run.end')).toBe(true);
  core.processes.alive.clear();
  bea.disconnect();
  await released;
  expect(await shownRun()).toMatchObject({ state: 'exited', ended: 'released' });
});

it('on another machine is lost after a while without a connection, and back when it reconnects', async () => {
  const eve = await core.joinFromAfar(workspace, 'Eve');
  await runs(eve, 'run_1', 7);
  const run = async () =>
    (await core.owner(workspace).request('WHO', { agent: 'Eve', includeOffline: true })).agents[0]?.run;
  eve.disconnect();
  core.clock.advance(GONE_AFTER_MS);
  expect(await run()).toMatchObject({ state: 'exited', ended: 'its connection was lost' });
  await runs(eve.again(), 'run_1', 7);
  expect(await run()).toMatchObject({ state: 'starting' });
  expect(await run()).not.toHaveProperty('ended');
});

it('is not taken from a worker, and a worker that is resumed is not started twice', async () => {
  const boss = await core.join(workspace, 'Boss');
  await boss.request('SPAWN', { name: 'Worker', cli: 'claude', waitMs: 0 });
  const { token = '', run = '' } = core.processes.started.at(-1) ?? {};
  const worker = await core.join(workspace, 'Worker', { token });
  await expect(begin(worker, 'run_own', 9)).rejects.toMatchObject({ code: 'NameInUse' });
  await worker.request('HOST', { ...facts(run, 1001), program: { pid: 5, mark: 'program' } });
  await worker.request('RUN_REPORT', { run, session: 'abc', exit: { code: 0 } });
  await expect.poll(() => boss.delivered.at(-1)?.content).toMatch(/^Worker "Worker" ended/);
  await begin(worker, 'run_own', 9);
  const resumed = boss.request('RESUME', { agent: 'Worker', waitMs: 0 });
  await expect(resumed).rejects.toMatchObject({ code: 'NameInUse' });
  expect(core.processes.started).toHaveLength(1);
});
