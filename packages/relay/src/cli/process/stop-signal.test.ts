import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const STOP_SIGNAL = fileURLToPath(new URL('./stop-signal.ts', import.meta.url));
/** Whatever comes after the last line is seen by no listener of the program. */
const PROGRAM = `
  const { stopSignal } = await import(${JSON.stringify(STOP_SIGNAL)});
  const stopped = stopSignal();
  process.on('exit', () => console.log('ending'));
  console.log('ready');
  const alive = setInterval(() => undefined, 1000);
  await stopped;
  clearInterval(alive);
  process.exitCode = 0;`;

it('a second copy of a signal does not kill a process that is ending', async () => {
  for (let run = 0; run < 5; run++) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const copies = () => {
      if (child.kill('SIGINT')) setImmediate(copies);
    };
    child.stdout.on('data', (data: Buffer) => {
      if (String(data).includes('ready')) child.kill('SIGINT');
      if (String(data).includes('ending')) copies();
    });
    expect(await exited).toEqual([0, null]);
  }
});
