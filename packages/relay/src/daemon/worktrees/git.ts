import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { RelayError } from '@agent-relay/protocol';
import { hostEnvironment } from '../hosts/environment.ts';
import { spawnWithUs } from './spawn-with-us.ts';

export interface GitResult {
  code: number;
  stdout: string;
  stderr: string;
}

const MOST_OUTPUT = 16 * 1024 * 1024;

/** Runs git in a directory; a failure is a result. Throws `CommandNotFound` if there is no git. */
export function git(cwd: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<GitResult> {
  const { promise, resolve, reject } = Promise.withResolvers<GitResult>();
  const options = { env: gitEnvironment(env ?? process.env), maxBuffer: MOST_OUTPUT };
  execFile('git', ['-C', cwd, ...args], options, (error, stdout, stderr) => {
    if (error?.code === 'ENOENT')
      reject(
        new RelayError('CommandNotFound', 'Program not found: git.', {
          next: 'Install git, or spawn the agent without a worktree.',
        }),
      );
    else resolve({ code: error ? Number(error.code) || 1 : 0, stdout: stdout.trim(), stderr: stderr.trim() });
  });
  return promise;
}

/** The same for what takes long and must not go on without this process. */
export async function gitWithUs(
  cwd: string,
  args: readonly string[],
  env?: NodeJS.ProcessEnv,
): Promise<GitResult> {
  const options = { env: gitEnvironment(env ?? process.env) };
  const child = spawnWithUs('git', ['-C', cwd, ...args], options);
  const outputs = [text(child.stdout), text(child.stderr)];
  const [code]: Array<number | null> = await once(child, 'close');
  const [stdout = '', stderr = ''] = await Promise.all(outputs);
  return { code: code ?? 1, stdout: stdout.trim(), stderr: stderr.trim() };
}

/** Variables such as GIT_DIR would make git work on another repository than the directory's. */
export const gitEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(hostEnvironment(env)).filter(([name]) => !name.startsWith('GIT_'))),
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C.UTF-8',
});

/** What git complains about, on one line. */
export const complaintOf = ({ stderr, stdout }: GitResult): string =>
  (stderr || stdout).split('\n')[0]?.replace(/^(fatal|error): /, '') ?? '';
