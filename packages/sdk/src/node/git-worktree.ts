import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isMissing, isOwn, readIfThere } from '@agent-relay/platform';

/**
 * The directory of the repository that `directory` is a linked worktree of (`git worktree add`); undefined if it is none.
 *
 * A `.git` file can come with anything that is unpacked, so it is not believed alone: the repository must list the
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
  // A submodule has no common directory: it is a repository of its own.
  if (common === undefined || back === undefined) return undefined;
  if (!(await isSame(back, link)) || !isOwn(await lstat(administration))) return undefined;
  // `.git`, or `.bare` as some call it, lies in the directory people know; `shop.git` is one itself.
  return basename(common).startsWith('.') ? dirname(common) : common;
}

const isOwnFile = (path: string): Promise<boolean> =>
  unlessOutOfReach(async () => {
    const found = await lstat(path);
    return found.isFile() && isOwn(found);
  }, false);

/** The path that a file of the repository holds, relative to where the file is. */
const pathIn = (directory: string, name: string): Promise<string | undefined> =>
  unlessOutOfReach(async () => {
    const text = await readIfThere(join(directory, name));
    return text === undefined ? undefined : resolve(directory, text.trim());
  }, undefined);

const isSame = (one: string, other: string): Promise<boolean> =>
  unlessOutOfReach(async () => (await realpath(one)) === (await realpath(other)), false);

/** Where there is nothing, or this user may not look, there is no repository of theirs. */
async function unlessOutOfReach<T>(look: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await look();
  } catch (error) {
    if (isMissing(error) || (error as NodeJS.ErrnoException).code === 'EACCES') return otherwise;
    throw error;
  }
}
