import { realpath } from 'node:fs/promises';
import { RelayError } from '@agent-relay/protocol';
import { complaintOf, type GitResult, git } from '../../git/git.ts';

export interface Repository {
  /** The git directory that all of its worktrees share. */
  common: string;
  /** The commit that is checked out. */
  head: string;
  /** The directory, relative to the top of its worktree: empty, or with a slash at its end. */
  prefix: string;
}

/** The repository of a directory, if it supports worktrees. */
export async function repositoryAt(
  cwd: string,
  { hasSetup, env }: { hasSetup: boolean; env: NodeJS.ProcessEnv | undefined },
): Promise<Repository> {
  const ask = (...args: string[]) => git({ cwd }, args, { env });
  const kind = await ask('rev-parse', '--is-bare-repository', '--is-inside-work-tree');
  if (kind.code !== 0) throw notUsable(cwd, kind);
  const [isBare, isInside] = kind.stdout.split('\n');
  if (isBare === 'true')
    throw noWorktree(`${cwd} is a bare repository.`, 'Use the directory of a working copy.');
  if (isInside !== 'true')
    throw noWorktree(
      `${cwd} is inside a git directory.`,
      'Use a directory of the working copy: --cwd DIRECTORY',
    );
  const { code, stdout: head } = await ask('rev-parse', '--verify', '--quiet', 'HEAD^{commit}');
  if (code !== 0)
    throw noWorktree(`The repository of ${cwd} has no commit yet.`, 'Make the first commit, then try again.');
  const { stdout: prefix } = await ask('rev-parse', '--show-prefix');
  // A branch can be checked out without a directory that is not committed.
  if (prefix !== '' && (await ask('cat-file', '-t', `${head}:${prefix}`)).stdout !== 'tree')
    throw noWorktree(`${prefix} is not in the latest commit.`, 'Commit it, or choose another --cwd.');
  if (!hasSetup && (await ask('cat-file', '-e', `${head}:.gitmodules`)).code === 0)
    throw noWorktree(
      'The repository has submodules; a new worktree does not contain them.',
      "Add a set-up command: --setup 'git submodule update --init --recursive'",
    );
  const { stdout: common } = await ask('rev-parse', '--path-format=absolute', '--git-common-dir');
  return { common: await realpath(common), head, prefix };
}

/** Throws if an agent's name cannot be the name of a branch and of a worktree. */
export async function checkName(name: string): Promise<void> {
  // Git names its directory for the worktree by the rules of refs, as a ref of one level.
  for (const args of [['--allow-onelevel', name], [`refs/heads/relay/${name}`]])
    if (name === 'HEAD' || (await git({}, ['check-ref-format', ...args])).code !== 0)
      throw noWorktree(
        `"${name}" cannot be the name of a branch.`,
        'Choose another name, or spawn the agent without a worktree.',
      );
}

/** A branch that does not exist yet: `relay/Name`, `relay/Name-2`, … */
export async function freeBranch(common: string, name: string): Promise<string> {
  const { stdout } = await git({ gitDir: common }, ['for-each-ref', '--format=%(refname)', 'refs/heads/']);
  const taken = new Set(stdout.toLowerCase().split('\n'));
  if (taken.has('refs/heads/relay'))
    throw noWorktree(
      'The repository has a branch named "relay", so git cannot create a branch "relay/…" for the worker.',
      'Rename that branch: git branch -m relay NEW-NAME',
    );
  const isFree = (branch: string) => !taken.has(`refs/heads/${branch}`.toLowerCase());
  if (isFree(`relay/${name}`)) return `relay/${name}`;
  for (let number = 2; ; number++) if (isFree(`relay/${name}-${number}`)) return `relay/${name}-${number}`;
}

function notUsable(cwd: string, result: GitResult): RelayError {
  const complaint = complaintOf(result);
  if (!complaint.startsWith('not a git repository'))
    return noWorktree(`git cannot use ${cwd}: ${complaint}`, 'Fix what git says, then try again.');
  return noWorktree(
    `${cwd} is not in a git repository.`,
    'Run git init there, or spawn the agent without a worktree.',
  );
}

export const noWorktree = (message: string, next: string): RelayError =>
  new RelayError('NoWorktree', message, { next });
