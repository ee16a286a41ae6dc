import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Child } from './child.ts';

const run = (script: string, onOutput: (bytes: Buffer) => void = () => undefined, isJob = false) =>
  new Child(
    {
      file: '/bin/bash',
      args: ['-c', script],
      cwd: '/',
      env: { PATH: process.env.PATH },
      columns: 80,
      rows: 24,
      isJob,
    },
    onOutput,
  );

it('lets a program exit with its own code after it has closed its terminal', async () => {
  // Until the reader of the other end has had time to notice that it is closed.
  const child = run('exec <&- >&- 2>&-; read -r -t 0.2 < <(sleep 1); exit 7');
  expect(await child.ended).toEqual({ code: 7 });
});

it('passes on all that a program wrote before it says that it has ended', async () => {
  const output: Buffer[] = [];
  const child = run('seq 1 2000; exit 3', (bytes) => output.push(bytes));
  expect(await child.ended).toEqual({ code: 3 });
  expect(Buffer.concat(output).toString()).toMatch(/\r\n1999\r\n2000\r\n$/);
});

it('does not wait for what a program leaves behind in its terminal', async () => {
  const output: Buffer[] = [];
  const child = run('trap "" HUP; sleep 30 & echo $!; exit 0', (bytes) => output.push(bytes));
  const outcome = await Promise.race([child.ended, setTimeout(10_000, 'waited')]);
  process.kill(Number(Buffer.concat(output).toString()), 'SIGKILL');
  expect(outcome).toEqual({ code: 0 });
});

it.each([false, true])('says which signal ended a program, or its code; as a job: %s', async (isJob) => {
  const endOf = (script: string) => run(script, undefined, isJob).ended;
  expect(await endOf('kill -KILL $$')).toEqual({ code: 0, signal: 'SIGKILL' });
  expect(await endOf('kill -TERM $$')).toEqual({ code: 0, signal: 'SIGTERM' });
  expect(await endOf('exit 9')).toEqual({ code: 9 });
  expect(await endOf('exit 255')).toEqual({ code: 255 });
});
