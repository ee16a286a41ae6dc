import type { Stats } from 'node:fs';
import { chmod, lstat, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { RelayError } from '@agent-relay/protocol';

const ROOT_USER = 0;

/** Whether this user owns it; always true on systems without users. */
export const isOwn = ({ uid }: Stats): boolean => {
  const own = process.getuid?.();
  return own === undefined || uid === own;
};

/**
 * Whether anyone but the owner can write to it. A group with the owner's number is that user's own, common where the
 * umask is 002.
 */
export const isWritableByOthers = ({ mode, uid, gid }: Stats): boolean =>
  (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== uid);

/**
 * Refuses a file or directory of another user. A link is followed: neither it nor what it leads to may be another
 * user's, except for links of the system, which belong to root. Returns the stats of the target.
 */
export async function checkOwner(path: string): Promise<Stats> {
  const found = await lstat(path);
  const isLink = found.isSymbolicLink();
  if (!isOwn(found) && !(isLink && found.uid === ROOT_USER)) throw notOurs(path);
  if (!isLink) return found;
  // Fails for a broken or circular link.
  await stat(path);
  return checkOwner(resolve(await realpath(dirname(path)), await readlink(path)));
}

/**
 * Removes access for others from a directory of this user. One of another user is refused, and so is a shared one:
 * root owns /tmp and /proc, and must not close them. If others could write to it, it must not contain their files.
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
  // Restore the mode, or the next check would pass.
  await chmod(path, mode & 0o7777);
  throw new RelayError(
    'NotAllowedToRunAs',
    `${foreign} belongs to another user, who could write to ${path}.`,
    {
      next: `Delete what is not yours in ${path}, or set RELAY_DATA_DIR to another directory.`,
    },
  );
}

/** A sticky directory such as /tmp, one that even the owner cannot write to, or the root directory. */
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
