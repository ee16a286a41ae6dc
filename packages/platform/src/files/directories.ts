import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RelayError } from '@agent-relay/protocol';
import { closeToOthers } from './ownership.ts';

/**
 * Makes a directory and those above it that are missing, like `mkdir -p`, for this user alone whatever the umask. Node's
 * own recursive mode tries for ever where a directory takes no others and says that it is not there, as /proc does.
 */
export async function ensureDirectory(path: string): Promise<void> {
  if (await isDirectory(path)) return;
  if (dirname(path) !== path) await ensureDirectory(dirname(path));
  try {
    await mkdir(path, 0o700);
  } catch (error) {
    // Somebody else may have been faster.
    if (!(await isDirectory(path))) throw error;
  }
}

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** Makes a directory that only this user can enter, and closes or refuses one that is there, as `closeToOthers` says. */
export async function ensurePrivateDirectory(path: string): Promise<void> {
  try {
    await ensureDirectory(path);
  } catch (cause) {
    throw cannotUse(path, cause);
  }
  await closeToOthers(path);
}

/** What is told when a directory of ours cannot be made, or takes no files. */
export const cannotUse = (path: string, cause: unknown): RelayError =>
  new RelayError(
    'InvalidSettings',
    `The directory ${path} cannot be used (${(cause as NodeJS.ErrnoException).code}).`,
    { next: 'Set RELAY_DATA_DIR to a directory that you can write to.', cause },
  );
