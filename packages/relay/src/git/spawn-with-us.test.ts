import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { isAlive, processMark } from '@agent-relay/platform/processes';
import { expect, it } from 'vitest';
import { spawnWithUs } from './spawn-with-us.ts';

const MODULE = fileURLToPath(new URL('./spawn-with-us.ts', import.meta.url));

it('passes on the output and the exit code', async () => {
  const child = spawnWithUs('sh', ['-c', 'echo "$1"; echo bad >&2; exit 3', 'sh', 'a  b'], {});
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  expect([stdout, stderr, code]).toEqual(['a  b\n', 'bad\n', 3]);
});

it('ends everything when this process is killed', async () => {
  const program = `
    const { spawnWithUs } = await import(${JSON.stringify(MODULE)});
    spawnWithUs('sh', ['-c', 'sleep 600 & echo $!; wait'], {}).stdout.pipe(process.stdout);
  `;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(parent.stdout, 'data');
  const pid = Number(String(line));
  const sleeping = { pid, mark: processMark(pid) ?? 'gone' };
  expect(isAlive(sleeping)).toBe(true);
  parent.kill('SIGKILL');
  await expect.poll(() => isAlive(sleeping), { timeout: 10_000 }).toBe(false);
});
