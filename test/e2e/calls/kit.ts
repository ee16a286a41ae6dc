import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { killAtExit } from '../../kit/cli.ts';
import type { TestDaemon } from '../../kit/daemon.ts';

const PROGRAM = fileURLToPath(new URL('program.ts', import.meta.url));

/** An agent that serves tools in a process of its own, until it is killed. */
export async function startProgram(
  daemon: TestDaemon,
  name: string,
): Promise<AsyncDisposable & { kill(): Promise<void> }> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROGRAM, name], {
    cwd: daemon.projectDirectory,
    env: daemon.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  killAtExit(child);
  const exited = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  await Promise.race([
    once(child.stdout, 'data'),
    exited.then(() => {
      throw new Error('The program has ended.');
    }),
  ]);
  return { kill, [Symbol.asyncDispose]: kill };
}
