import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  descendantsOf,
  isAlive,
  isDescendant,
  processMark,
  signalProcess,
  signalSession,
} from './process-mark.ts';

const markOf = (pid = 0) => ({ pid, mark: processMark(pid) ?? '' });

it('tells a process from another one with the same id', () => {
  const own = markOf(process.pid);
  expect(isAlive(own)).toBe(true);
  expect(isAlive({ ...own, mark: 'another' })).toBe(false);
  expect(signalProcess({ ...own, mark: 'another' }, 'SIGKILL')).toBe(false);
});

it('is undefined for a process that has ended', async () => {
  const child = spawn('sleep', ['60']);
  const marked = markOf(child.pid);
  expect(isAlive(marked)).toBe(true);
  expect(signalProcess(marked, 'SIGKILL')).toBe(true);
  await once(child, 'exit');
  expect(isAlive(marked)).toBe(false);
  expect(signalProcess(marked, 'SIGKILL')).toBe(false);
});

it('knows what a process has started, as long as both run', async () => {
  const shell = spawn('sh', ['-c', 'sleep 60 & echo $!; wait'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(shell.stdout, 'data');
  const [above, child, below] = [process.pid, shell.pid, Number(String(line))].map(markOf);
  if (!above || !child || !below) throw new Error('not started');
  expect(isDescendant(below, above)).toBe(true);
  expect(isDescendant(below, child)).toBe(true);
  for (const [one, other] of [
    [above, below],
    [below, below],
    [below, { ...child, mark: 'another' }],
    [{ ...below, mark: 'another' }, child],
  ] as const)
    expect(isDescendant(one, other)).toBe(false);
  const ended = once(shell, 'exit');
  signalProcess(child, 'SIGKILL');
  await ended;
  expect(isDescendant(below, child)).toBe(false);
  signalProcess(below, 'SIGKILL');
});

it.runIf(process.platform === 'linux')('ends all processes of a session, also in other groups', async () => {
  const script = 'set -m; sleep 60 & echo $!; wait';
  const child = spawn('bash', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(child.stdout, 'data');
  const background = markOf(Number(String(line)));
  signalSession(child.pid ?? 0, 'SIGKILL');
  await once(child, 'exit');
  await expect.poll(() => isAlive(background)).toBe(false);
});

it.runIf(process.platform === 'linux')(
  'knows what a process has started, in other sessions too',
  async () => {
    const script = 'setsid -w sleep 60 & (setsid sleep 61 &) ; sleep 0.2; echo started; wait';
    const child = spawn('bash', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    await once(child.stdout, 'data');
    const commandOf = ({ pid }: { pid: number }) => readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    const started = descendantsOf(child.pid ?? 0);
    // The other one has been left to itself.
    expect(started.map(commandOf).filter((command) => command.startsWith('sleep'))).toEqual([
      'sleep\x0060\0',
    ]);
    for (const one of started) signalProcess(one, 'SIGKILL');
    signalSession(child.pid ?? 0, 'SIGKILL');
  },
);
