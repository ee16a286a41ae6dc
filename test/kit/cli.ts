import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const PROGRAM = fileURLToPath(new URL('../../packages/relay/bin/agent-relay.js', import.meta.url));

export interface CliOptions {
  /** The whole environment of the command; see `isolatedEnvironment`. */
  env: NodeJS.ProcessEnv;
  cwd?: string;
  /** What the command reads from its standard input; without it the input is closed. */
  input?: string;
  /** The Node that starts the command. */
  node?: string;
  /** The umask it runs under, such as 000; otherwise that of the tests. */
  umask?: string;
  /** Let it run in a terminal, where it prints what a person likes to read; see `hasTerminals`. */
  terminal?: boolean;
  /** It is killed after this time. Default: 30 s. */
  timeoutMs?: number;
}

export interface CliResult {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A command that runs until it is stopped. */
export interface RunningCli extends AsyncDisposable {
  readonly child: ChildProcess;
  /** Resolves with the match when the pattern appears in the output (both streams), rejects if the command ends first. */
  until(pattern: RegExp): Promise<RegExpMatchArray>;
  result: Promise<CliResult>;
}

/** Terminals are made by `script` of util-linux. */
export const hasTerminals = spawnSync('script', ['--version']).status === 0;

const DEADLINE_MS = 30_000;

/** Runs the real command to its end. */
export async function cli(args: string[], options: CliOptions): Promise<CliResult> {
  await using running = startCli(args, options);
  running.child.stdin?.end(options.input ?? '');
  return await running.result;
}

/** Starts the real command; disposing of it kills it if it still runs. */
export function startCli(
  args: string[],
  { env, cwd, node = process.execPath, umask, terminal = false, timeoutMs = DEADLINE_MS }: CliOptions,
): RunningCli {
  const masked = umask === undefined ? [] : ['sh', '-c', `umask ${umask}; exec "$@"`, 'sh'];
  const words = [...masked, node, PROGRAM, ...args];
  const [file = '', ...rest] = terminal
    ? ['script', '-qec', `exec ${words.map(quoted).join(' ')}`, '/dev/null']
    : words;
  const child = spawn(file, rest, { env, ...(cwd ? { cwd } : {}), timeout: timeoutMs });
  killAtExit(child);
  const output = { stdout: '', stderr: '' };
  const onOutput = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      for (const look of onOutput) look();
    });
  }
  // A command may end without reading its input.
  child.stdin.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  const result = once(child, 'close').then(([code, signal]): CliResult => ({ code, signal, ...output }));
  const until = (pattern: RegExp) =>
    new Promise<RegExpMatchArray>((found, failed) => {
      const look = () => {
        const match = `${output.stdout}\n${output.stderr}`.match(pattern);
        if (!match) return;
        onOutput.delete(look);
        found(match);
      };
      onOutput.add(look);
      look();
      result.then(
        (ended) => failed(new Error(`It ended without ${pattern}: ${JSON.stringify(ended)}`)),
        failed,
      );
    });
  return {
    child,
    until,
    result,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await result;
    },
  };
}

/** One word of a shell's command line. */
const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

const alive = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/** Processes end with the tests that started them, even if those are interrupted. */
export function killAtExit(child: ChildProcess): void {
  alive.add(child);
  child.once('exit', () => alive.delete(child));
}
