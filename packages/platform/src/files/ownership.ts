import type { Stats } from 'node:fs';
import { chmod, lstat, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { RelayError } from '@agent-relay/protocol';

const ROOT_USER = 0;

/** Whether this user owns it; where the system has no users, everything is theirs. */
export const isOwn = ({ uid }: Stats): boolean => {
  const own = process.getuid?.();
  return own === undefined || uid === own;
};

/**
 * Whether anybody but the owner can write to it. A group with the number of the owner is that user's own, as where the
 * umask is 002.
 */
export const isWritableByOthers = ({ mode, uid, gid }: Stats): boolean =>
  (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== uid);

/**
 * Refuses a file or directory of another user. A link is followed: neither it nor what it leads to may be another
 * user's, except for the links of the system, which belong to root. Returns what is at its end.
 */
export async function checkOwner(path: string): Promise<Stats> {
  const found = await lstat(path);
  const isLink = found.isSymbolicLink();
  if (!isOwn(found) && !(isLink && found.uid === ROOT_USER)) throw notOurs(path);
  if (!isLink) return found;
  // Fails for a link that leads nowhere or to itself.
  await stat(path);
  return checkOwner(resolve(await realpath(dirname(path)), await readlink(path)));
}

/**
 * Closes a directory of this user to others. One of another user is refused, and so is one that is there for everybody:
 * root owns /tmp and /proc, and must not close them. Where others could write, they must not have left anything.
 */
export async function closeToOthers(path: string): Promise<void> {
  const found = await checkOwner(path);
  const { mode } = found;
  if ((mode & 0o077) === 0) return;
  if (isForEverybody(await realpath(path), mode)) {
    throw new RelayError('InvalidSettings', `The directory ${path} is shared with other programs.`, {
      next: 'Set RELAY_DATA_DIR to a directory that only the relay uses. It is created if it does not exist.',
    });
  }
  await chmod(path, 0o700);
  if (!isWritableByOthers(found)) return;
  const foreign = await foreignEntry(path);
  if (foreign === undefined) return;
  // As it was: closed, it would pass the next time.
  await chmod(path, mode & 0o7777);
  throw new RelayError(
    'NotAllowedToRunAs',
    `${foreign} belongs to another user, who could write to ${path}.`,
    {
      next: `Delete what is not yours in ${path}, or set RELAY_DATA_DIR to another directory.`,
    },
  );
}

/** Where everybody may write but not delete, where not even the owner may write, or where everything is. */
const isForEverybody = (path: string, mode: number): boolean =>
  (mode & 0o1000) !== 0 || (mode & 0o200) === 0 || dirname(path) === path;

async function foreignEntry(directory: string): Promise<string | undefined> {
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    if (!isOwn(await lstat(path))) return path;
  }
  return undefined;
}

const notOurs = (path: string): RelayError =>
  new RelayError('NotAllowedToRunAs', `${path} belongs to another user.`);
