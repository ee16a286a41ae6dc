import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isMissing, isOwn, readIfThere } from '@agent-relay/platform';

/**
 * The repository of which `directory` is a linked worktree (`git worktree add`); undefined if it is not one.
 *
 * A `.git` file can come with any archive, so it is not trusted alone: the repository must list the
 * worktree too, and both must be this user's.
 */
export async function repositoryOf(directory: string): Promise<string | undefined> {
  const link = join(directory, '.git');
  if (!(await isOwnFile(link))) return undefined;
  const [, target] = /^gitdir: (.+)/.exec((await readIfThere(link)) ?? '') ?? [];
  if (target === undefined) return undefined;
  const administration = resolve(directory, target.trim());
  const [common, back] = await Promise.all([
    pathIn(administration, 'commondir'),
    pathIn(administration, 'gitdir'),
  ]);
  // A submodule has no common directory: it is its own repository.
  if (common === undefined || back === undefined) return undefined;
  if (!(await isSame(back, link)) || !isOwn(await lstat(administration))) return undefined;
  // `.git` (or `.bare`) is inside the repository's directory; `shop.git` is the directory itself.
  return basename(common).startsWith('.') ? dirname(common) : common;
}

const isOwnFile = (path: string): Promise<boolean> =>
  unlessOutOfReach(async () => {
    const found = await lstat(path);
    return found.isFile() && isOwn(found);
  }, false);

/** The path in a file of the repository, relative to that file. */
const pathIn = (directory: string, name: string): Promise<string | undefined> =>
  unlessOutOfReach(async () => {
    const text = await readIfThere(join(directory, name));
    return text === undefined ? undefined : resolve(directory, text.trim());
  }, undefined);

const isSame = (one: string, other: string): Promise<boolean> =>
  unlessOutOfReach(async () => (await realpath(one)) === (await realpath(other)), false);

/** A missing or unreadable path is not a repository of this user. */
async function unlessOutOfReach<T>(look: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await look();
  } catch (error) {
    if (isMissing(error) || (error as NodeJS.ErrnoException).code === 'EACCES') return otherwise;
    throw error;
  }
}
