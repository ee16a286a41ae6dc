import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isMissing, isThere, readIfThere } from '@agent-relay/platform';
import { type GitResult, git, items } from '../../git/git.ts';

/** A worktree with the directory in which git keeps its HEAD, index and logs: the `.git` file in it is not believed. */
export interface OpenWorktree {
  path: string;
  branch: string;
  /** The git directory that all worktrees of the repository share. */
  common: string;
  /** Its own part of it. */
  admin: string;
}

/** The git directory of a worktree; undefined if its repository does not know the worktree (any more). */
export async function adminDirectory(common: string, path: string): Promise<string | undefined> {
  const known = join(common, 'worktrees');
  const parent = dirname(path);
  const wanted = join((await isThere(parent)) ? await realpath(parent) : parent, basename(path), '.git');
  for (const name of await readdir(known).catch(noneIfMissing)) {
    const admin = join(known, name);
    const pointer = await readIfThere(join(admin, 'gitdir'));
    if (pointer !== undefined && resolve(admin, pointer) === wanted) return admin;
  }
  return undefined;
}

/** Asks about a worktree as its user sees it: with its own index, and the repository's configuration. */
export const asked = (
  { path, admin }: OpenWorktree,
  args: readonly string[],
  how?: { bytes: boolean },
): Promise<GitResult> => git({ gitDir: admin, workTree: path }, args, how);

/** The files that git does not look at, with `S` if it also leaves them out of the working tree, as in a sparse checkout. */
export async function flagsIn(worktree: OpenWorktree): Promise<Map<string, string>> {
  const { stdout } = await asked(worktree, ['ls-files', '-v', '-z'], { bytes: true });
  const flagged = items(stdout).filter((line) => /^[a-zS] /.test(line));
  return new Map(flagged.map((line) => [line.slice(2), line.slice(0, 1)]));
}

export function noneIfMissing(error: NodeJS.ErrnoException): [] {
  if (isMissing(error)) return [];
  throw error;
}
