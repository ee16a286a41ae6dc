import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isAlive, type MarkedProcess, processMark, signalProcess } from '@agent-relay/platform/processes';
import { expect, it } from 'vitest';

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url));
/** Ignores the end of its terminal, and has one process in its group, one in another, and one in another session. */
const STUBBORN = `trap "" HUP TERM
  set -m; sleep 600 & other=$!; set +m
  setsid -w sleep 600 & apart=$!
  sleep 600 & echo "$$ $! $other $apart"; wait`;
/** Ends with its terminal, and leaves a command behind in another session. */
const OBEDIENT = 'setsid -w sleep 600 & echo "$$ $!"; wait';
/** Ignores the end of its terminal, with a service in the background, which has no parent any more. */
const WITH_SERVICE = `trap "" HUP
  service=$(setsid sh -c 'sleep 600 >/dev/null & echo $!')
  sleep 600 & echo "$$ $service"; wait`;

/** Runs a script in a terminal, in a process of its own, and resolves with the processes that the script names. */
async function held(script: string, { isJob = false } = {}) {
  const program = {
    file: '/bin/bash',
    args: ['-c', script],
    cwd: '/',
    env: { PATH: process.env.PATH },
    columns: 80,
    rows: 24,
    isJob,
  };
  const holder = `const { Child } = await import(${JSON.stringify(CHILD)});
    new Child(${JSON.stringify(program)}, (output) => process.stdout.write(output));`;
  const host = spawn(process.execPath, ['--input-type=module', '--eval', holder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(host.stdout, 'data');
  const started = String(line)
    .trim()
    .split(' ')
    .map((word) => ({ pid: Number(word), mark: processMark(Number(word)) ?? '' }));
  expect(started.filter(isAlive)).toEqual(started);
  return { host, started };
}

const DEADLINE = { timeout: 20_000, interval: 100 };

it('ends all that a program runs when the process is killed that holds its terminal', async () => {
  const { host, started } = await held(STUBBORN);
  expect(started).toHaveLength(4);
  host.kill('SIGKILL');
  await expect.poll(() => started.filter(isAlive), DEADLINE).toEqual([]);
}, 30_000);

it.each([false, true])(
  'ends a command in another session, if the program ends before it; as a job: %s',
  async (isJob) => {
    const { host, started } = await held(OBEDIENT, { isJob });
    expect(started).toHaveLength(2);
    host.kill('SIGKILL');
    await expect.poll(() => started.filter(isAlive), DEADLINE).toEqual([]);
  },
  30_000,
);

it('leaves a service alone that the program has left to itself', async () => {
  const { host, started } = await held(WITH_SERVICE);
  const [program, service] = started as [MarkedProcess, MarkedProcess];
  host.kill('SIGKILL');
  await expect.poll(() => isAlive(program), DEADLINE).toBe(false);
  expect(signalProcess(service, 'SIGKILL')).toBe(true);
}, 30_000);

it('tells a program that its terminal is gone, also one that is run as a job', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'relay-guard-'));
  const file = join(directory.path, 'told');
  const script = `trap "echo hangup >${file}; exit" HUP; echo $$; while true; do read -r -t 1; done`;
  const { host, started } = await held(script, { isJob: true });
  host.kill('SIGKILL');
  await expect.poll(() => started.filter(isAlive), DEADLINE).toEqual([]);
  expect(await readFile(file, 'utf8')).toBe('hangup\n');
}, 30_000);
