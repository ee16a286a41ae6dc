import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

export interface Command {
  file: string;
  args: string[];
  cwd: string;
  /** The whole environment: nothing is inherited. */
  env: Record<string, string>;
  input?: string | undefined;
}

const DEADLINE_MS = 120_000;

/** Runs a command and returns its output. Everything it started ends with it. */
export async function runCommand({ file, args, cwd, env, input }: Command): Promise<string> {
  const child = spawn(file, args, { cwd, env, detached: true, stdio: 'pipe' });
  const group = child.pid === undefined ? undefined : -child.pid;
  const endGroup = () => {
    if (group !== undefined) endIfAlive(group);
  };
  process.once('exit', endGroup);
  const deadline = setTimeout(endGroup, DEADLINE_MS);
  child.stdin.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  child.stdin.end(input ?? '');
  try {
    const ended = new Promise<void>((resolve, reject) =>
      child.once('error', reject).once('exit', () => resolve()),
    );
    const outputs = Promise.all([text(child.stdout), text(child.stderr)]);
    await ended;
    endGroup();
    const [stdout, stderr] = await outputs;
    const output = `${stdout}\n${stderr}`;
    if (child.exitCode === 0) return output;
    throw new Error(`${file} ${args[0]} ended with ${child.exitCode ?? child.signalCode}:\n${output}`);
  } finally {
    clearTimeout(deadline);
    process.removeListener('exit', endGroup);
  }
}

function endIfAlive(group: number): void {
  try {
    process.kill(group, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
