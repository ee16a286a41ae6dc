import type { OperationInput } from '@agent-relay/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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
  const program = { pid: 5, mark: 'program' };
  await worker.request('HOST', { ...facts(run, 1001), host: core.processes.hostOf(run), program });
  await worker.request('RUN_REPORT', { run, session: 'abc', exit: { code: 0 } });
  await expect.poll(() => boss.delivered.at(-1)?.content).toMatch(/^Worker "Worker" ended/);
  await begin(worker, 'run_own', 9);
  const resumed = boss.request('RESUME', { agent: 'Worker', waitMs: 0 });
  await expect(resumed).rejects.toMatchObject({ code: 'NameInUse' });
  expect(core.processes.started).toHaveLength(1);
});

it('reports a conversation that cannot be taken for an option of its CLI', async () => {
  await runs(bea, 'run_1', 7);
  for (const session of ['--yolo', ''])
    await expect(bea.request('RUN_REPORT', { run: 'run_1', session })).rejects.toMatchObject({
      code: 'InvalidRequest',
    });
});

describe('a process that only a client has named', () => {
  const FOREIGN = { pid: 4000, mark: 'foreign' };
  const released = () => core.owner(workspace).request('RELEASE', { agent: 'Bea' });
  const refused = (message: RegExp) => ({
    code: 'Timeout',
    message: expect.stringMatching(message),
    next: expect.stringContaining('The relay did not start it'),
  });
  beforeEach(async () => {
    core.processes.alive.add(FOREIGN.pid);
    await bea.request('HOST', { ...facts('run_1', 7), host: FOREIGN, program: FOREIGN });
  });

  it('is never ended: its host is asked, and release says that it does not answer', async () => {
    const releasing = expect(released()).rejects.toMatchObject(
      refused(/pid 4000.* was asked .*, and has not/),
    );
    await expect.poll(() => bea.events.some(({ type }) => type === 'run.end')).toBe(true);
    core.clock.advance(8000);
    await releasing;
    expect(core.processes.ended).toEqual([]);
  });

  it('is never ended after a restart of the daemon, which then cannot even ask', async () => {
    await core.restart();
    await expect(released()).rejects.toMatchObject(refused(/is not connected, so it cannot be asked/));
    expect(core.processes.ended).toEqual([]);
    core.processes.alive.clear();
    await released();
    expect(core.processes.ended).toEqual([]);
  });

  it('keeps the agent from being resumed while it runs', async () => {
    await bea.request('RUN_REPORT', { run: 'run_1', session: 'abc', exit: { code: 0 } });
    const resumed = () => core.owner(workspace).request('RESUME', { agent: 'Bea', waitMs: 0 });
    await expect(resumed()).rejects.toMatchObject({
      code: 'NotResumable',
      message: /still runs \(pid 4000\)/,
    });
    core.processes.alive.clear();
    expect(await resumed()).toMatchObject({ status: 'foreground' });
    expect(core.processes.ended).toEqual([]);
  });
});

describe('the host of a worker', () => {
  const program = { pid: 5, mark: 'program' };
  async function startWorker(): Promise<{ worker: Participant; run: string }> {
    await bea.request('SPAWN', { name: 'Worker', cli: 'claude', waitMs: 0 });
    const { token = '', run = '' } = core.processes.started.at(-1) ?? {};
    return { worker: await core.join(workspace, 'Worker', { token }), run };
  }
  const processesOf = () => {
    const { host, program: known } = core.relay.terminals.runs.of(idOf('Worker')) ?? {};
    return { host, program: known };
  };
  const idOf = (name: string) => core.relay.agents.get(workspace, name).id;

  it('is the process that the daemon started, and no other', async () => {
    const { worker, run } = await startWorker();
    const host = core.processes.hostOf(run);
    for (const other of [
      { pid: 4000, mark: host.mark },
      { pid: host.pid, mark: 'later' },
    ])
      await expect(worker.request('HOST', { ...facts(run, 1), host: other, program })).rejects.toMatchObject({
        code: 'IdConflict',
      });
    const afar = await core.joinFromAfar(workspace, 'Worker', { token: worker.token });
    await expect(afar.request('HOST', { ...facts(run, 1), host, program })).rejects.toMatchObject({
      code: 'IdConflict',
    });
    expect(processesOf()).toEqual({ host, program: undefined });
  });

  it('has the program that was seen below it, from then on', async () => {
    const { worker, run } = await startWorker();
    const host = core.processes.hostOf(run);
    const begin = (pid: number) =>
      worker.request('HOST', { ...facts(run, 1), host, program: { pid, mark: 'program' } });
    core.processes.foreign.add(4000);
    await begin(4000);
    expect(processesOf()).toEqual({ host, program: undefined });
    core.processes.alive.add(program.pid);
    await begin(program.pid);
    await begin(6);
    expect(processesOf()).toEqual({ host, program });
  });

  it('leaves a program behind that is still the agent', async () => {
    const { worker, run } = await startWorker();
    const host = core.processes.hostOf(run);
    core.processes.alive.add(program.pid);
    await worker.request('HOST', { ...facts(run, 1), host, program });
    worker.disconnect();
    core.processes.alive.delete(host.pid);
    await expect(begin(worker.again(), 'run_own', 9)).rejects.toMatchObject({ code: 'NameInUse' });
    core.processes.alive.clear();
    await begin(worker.again(), 'run_own', 9);
  });
});

it('is not taken over by another connection of its agent, which may not speak for it either', async () => {
  await runs(bea, 'run_1', 7);
  const other = bea.again();
  await expect(runs(other, 'run_1', 8)).rejects.toMatchObject({ code: 'IdConflict' });
  const report = { run: 'run_1', exit: { code: 0 } };
  await expect(other.request('RUN_REPORT', report)).rejects.toMatchObject({ code: 'Forbidden' });
  const note = { run: 'run_1', id: 'note_1', content: 'Hello' };
  await expect(other.request('RUN_NOTE', note)).rejects.toMatchObject({ code: 'Forbidden' });
  await expect(runs(bea.declared(), 'run_2', 8)).rejects.toMatchObject({ code: 'Forbidden' });
  // The same process again, as after a lost connection.
  await runs(other, 'run_1', 7);
  await other.request('RUN_REPORT', report);
});
