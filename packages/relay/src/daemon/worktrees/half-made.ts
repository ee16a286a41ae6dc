import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Worktree } from '../../core/ports/worktrees.ts';
import { git } from './git.ts';

/** Whether git was ended while it made the worktree: until all files are there, it keeps it locked. */
export async function isHalfMade({ path }: Worktree): Promise<boolean> {
  if (!existsSync(path)) return true;
  const [, administration] = /^gitdir: (.*)/.exec(await contentOf(join(path, '.git'))) ?? [];
  if (administration === undefined) return true;
  return (await contentOf(join(administration, 'locked'))).trim() === 'initializing';
}

/** Removes what git has made of a worktree so far, where nobody can have worked yet. */
export async function removeHalfMade({ path, repository }: Worktree): Promise<void> {
  // Twice, because it is locked.
  await git(repository, ['worktree', 'remove', '--force', '--force', path]);
  await rm(path, { recursive: true, force: true });
  await git(repository, ['worktree', 'prune']);
}

/** Deletes a branch without commits of its own. */
export async function removeUnusedBranch({ branch, repository }: Worktree): Promise<void> {
  const name = `refs/heads/${branch}`;
  const tip = await git(repository, ['rev-parse', '--verify', '--quiet', name]);
  if (tip.code !== 0) return;
  const others = ['HEAD', `--exclude=${branch}`, '--branches', '--tags', '--remotes'];
  const own = await git(repository, ['rev-list', '--max-count=1', name, '--not', ...others]);
  if (own.code === 0 && own.stdout === '') await git(repository, ['update-ref', '-d', name, tip.stdout]);
}

const contentOf = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '');
