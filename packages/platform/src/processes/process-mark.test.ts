import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { isAlive, processMark, signalProcess, signalSession } from './process-mark.ts';

const markOf = (pid = 0) => ({ pid, mark: processMark(pid) ?? '' });

it('tells a process from another one of the same number', () => {
  const own = markOf(process.pid);
  expect(isAlive(own)).toBe(true);
  expect(isAlive({ ...own, mark: 'another' })).toBe(false);
  expect(signalProcess({ ...own, mark: 'another' }, 'SIGKILL')).toBe(false);
});

it('knows of none that has ended', async () => {
  const child = spawn('sleep', ['60']);
  const marked = markOf(child.pid);
  expect(isAlive(marked)).toBe(true);
  expect(signalProcess(marked, 'SIGKILL')).toBe(true);
  await once(child, 'exit');
  expect(isAlive(marked)).toBe(false);
  expect(signalProcess(marked, 'SIGKILL')).toBe(false);
});

it.runIf(process.platform === 'linux')('ends what is in a session, in groups of its own too', async () => {
  const script = 'set -m; sleep 60 & echo $!; wait';
  const child = spawn('bash', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(child.stdout, 'data');
  const background = markOf(Number(String(line)));
  signalSession(child.pid ?? 0, 'SIGKILL');
  await once(child, 'exit');
  await expect.poll(() => isAlive(background)).toBe(false);
});
