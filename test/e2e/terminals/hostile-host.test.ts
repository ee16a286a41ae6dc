import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { isAlive, processMark } from '../../../packages/platform/src/processes/index.ts';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { eventually } from '../../kit/eventually.ts';
import { SCRIPTED_CLI } from '../../kit/scripted-cli.ts';
import { client } from '../messaging/commands.ts';

let daemon: TestDaemon;
let sleep: ChildProcess;
let foreign: { pid: number; mark: string };
beforeAll(async () => {
  daemon = await startDaemon({ settings: { clis: SCRIPTED_CLI, goneAfterMs: 500 } });
});
afterAll(() => daemon[Symbol.asyncDispose]());
beforeEach(async () => {
  // In a session of its own, as the victim of a signal to a whole session.
  sleep = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  await once(sleep, 'spawn');
  const { pid = 0 } = sleep;
  foreign = { pid, mark: processMark(pid) ?? 'gone' };
});
afterEach(() => sleep.kill('SIGKILL'));

/** What the agent says of itself: that the foreign process is its host and its program. */
const claim = (run: string) => ({
  run,
  cli: 'claude',
  cwd: '/',
  startedAt: 1,
  host: foreign,
  program: foreign,
});

/** The run of the worker, once its program is known, from the database: its id is nowhere else to be read. */
function storedRun() {
  const database = new DatabaseSync(`${daemon.dataDirectory}/relay.db`, { readOnly: true });
  try {
    const rows = database
      .prepare('SELECT id, host, program FROM runs WHERE spawned = 1 AND program IS NOT NULL')
      .all();
    const [run] = rows as Array<{ id: string; host: string; program: string }>;
    return run && { id: run.id, host: JSON.parse(run.host), program: JSON.parse(run.program) };
  } finally {
    database.close();
  }
}

function tokenOf(pid: number): string {
  const [, token = ''] =
    /RELAY_AGENT_TOKEN=([^\0]+)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8')) ?? [];
  return token;
}

it('cannot have a foreign process ended by release, which says what happened', async () => {
  {
    await using mallory = await client(daemon, { name: 'Mallory', paths: [] });
    await mallory.request('HOST', claim('run_mallory'));
    const asked = await daemon.cli(['release', 'Mallory']);
    expect(asked).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(/was asked to end .*, and has not\./),
    });
  }
  await daemon.kill9();
  await daemon.start();
  const away = await daemon.cli(['release', 'Mallory']);
  expect(away).toMatchObject({ code: 6, stderr: expect.stringMatching(/is not connected, so it cannot be/) });
  expect(away.stderr).toMatch(/\nnext: The relay did not start it: .* agent-relay agent remove Mallory\n$/);
  // What it says to do, works.
  expect((await daemon.cli(['agent', 'remove', 'Mallory'])).code).toBe(0);
  expect(isAlive(foreign)).toBe(true);
}, 60_000);

it('cannot make a foreign process the host of a worker, or its program', async () => {
  await using alice = await client(daemon, { name: 'Alice' });
  const env = { PATH: process.env.PATH ?? '' };
  await alice.workers.spawn('Worker', 'scripted', { env });
  const { id: run, host, program } = await eventually(() => storedRun());
  await using worker = await client(daemon, { name: 'Worker', token: tokenOf(program.pid), paths: [] });
  await expect(worker.request('HOST', claim(run))).rejects.toMatchObject({ code: 'IdConflict' });
  await worker.request('HOST', { ...claim(run), host });
  await daemon.kill9();
  await daemon.start();
  expect(await alice.workers.release('Worker')).toMatchObject({ name: 'Worker' });
  expect([program, host].map(isAlive)).toEqual([false, false]);
  expect(isAlive(foreign)).toBe(true);
}, 60_000);
