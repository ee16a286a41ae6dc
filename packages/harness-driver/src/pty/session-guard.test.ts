import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isAlive, processMark } from '@agent-relay/platform/processes';
import { expect, it } from 'vitest';

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url));
/** Ignores the end of its terminal, and has one process in its group and one in another. */
const STUBBORN =
  'trap "" HUP TERM; set -m; sleep 600 & other=$!; set +m; sleep 600 & echo "$$ $other $!"; wait';

it('ends all that runs in a terminal when the process is killed that holds it', async () => {
  const program = { file: '/bin/bash', args: ['-c', STUBBORN], cwd: '/', env: {}, columns: 80, rows: 24 };
  const script = `const { Child } = await import(${JSON.stringify(CHILD)});
    new Child(${JSON.stringify(program)}, (output) => process.stdout.write(output));`;
  const host = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(host.stdout, 'data');
  const started = String(line)
    .trim()
    .split(' ')
    .map((word) => ({ pid: Number(word), mark: processMark(Number(word)) ?? '' }));
  expect(started.filter(isAlive)).toHaveLength(3);
  host.kill('SIGKILL');
  await expect.poll(() => started.filter(isAlive), { timeout: 20_000, interval: 100 }).toEqual([]);
}, 30_000);
