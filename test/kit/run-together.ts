import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Loaded by every process; all of them then continue at the same moment, so that they really compete. */
const MEET = `
  process.send('ready');
  await new Promise((resolve) => process.once('message', resolve));
  process.disconnect();`;

/** Runs a module of `imports` and `work` in several processes, which begin `work` together; returns what each prints. */
export async function runTogether(count: number, imports: string, work: string): Promise<string[]> {
  const program = `${imports}\n${MEET}\n${work}`;
  const children = Array.from({ length: count }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    }),
  );
  try {
    const outputs = children.map(outputOf);
    const ready = children.map((child) => once(child, 'message'));
    await Promise.race([Promise.all(ready), Promise.all(outputs)]);
    for (const child of children) child.send('go');
    return await Promise.all(outputs);
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

async function outputOf(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('The process has no output.');
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`A process ended with code ${code}.`);
  return printed;
}
