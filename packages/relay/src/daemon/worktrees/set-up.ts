import { RelayError } from '@agent-relay/protocol';
import { withoutGit } from '../../git/git.ts';
import { spawnWithUs } from '../../git/spawn-with-us.ts';

export interface SetUp {
  command: string;
  cwd: string;
  env: NodeJS.ProcessEnv | undefined;
  onProgress: (text: string) => void;
  /** Ends it. */
  signal: AbortSignal;
}

/** Installing everything a large project needs takes minutes. */
const LONGEST_MS = 15 * 60_000;
const KILL_MS = 5000;
const MOST_OUTPUT = 64 * 1024;
/** How much of the output is in the error. */
const SHOWN_LINES = 20;
const TELL_MS = 1000;

/** Runs a shell command in a new worktree. Throws `SetupFailed` with the end of its output. */
export async function setUp({ command, cwd, env, onProgress, signal }: SetUp): Promise<void> {
  let output = '';
  let toldAt = Number.NEGATIVE_INFINITY;
  onProgress(`Setting it up: ${command}`);
  const quiet = { GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C.UTF-8' };
  const inherited = withoutGit(env ?? process.env);
  const child = spawnWithUs('/bin/sh', ['-c', command], { cwd, env: { ...inherited, ...quiet } });
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-MOST_OUTPUT);
      const latest = lastLines(output, 1);
      if (latest === '' || performance.now() - toldAt < TELL_MS) return;
      toldAt = performance.now();
      onProgress(latest);
    });
  let stopped: string | undefined;
  const stop = (why: string) => {
    stopped ??= why;
    signalGroup(child.pid, 'SIGTERM');
    setTimeout(() => signalGroup(child.pid, 'SIGKILL'), KILL_MS).unref();
  };
  const timer = setTimeout(() => stop('was stopped after 15 minutes'), LONGEST_MS);
  const onAbort = () => stop('was stopped with the daemon');
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  const how = await new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, by) => resolve(code === 0 ? undefined : ended(code, by)));
  });
  clearTimeout(timer);
  signal.removeEventListener('abort', onAbort);
  if (how === undefined && stopped === undefined) return;
  const shown = lastLines(output, SHOWN_LINES);
  throw new RelayError(
    'SetupFailed',
    `The set-up command ${stopped ?? how}: ${command}${shown === '' ? '' : `\n${shown}`}`,
  );
}

const ended = (code: number | null, signal: NodeJS.Signals | null): string =>
  signal === null ? `failed with exit code ${code}` : `was ended by ${signal}`;

const lastLines = (text: string, count: number): string =>
  text
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== '')
    .slice(-count)
    .join('\n');

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
