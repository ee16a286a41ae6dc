import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RelayError } from '@agent-relay/protocol';
import { closeToOthers } from './ownership.ts';

/**
 * Creates a directory and its missing parents, like `mkdir -p`, for this user only, whatever the umask. Node's
 * own recursive mode retries forever in a directory that cannot contain others and reports ENOENT, such as /proc.
 */
export async function ensureDirectory(path: string): Promise<void> {
  if (await isDirectory(path)) return;
  if (dirname(path) !== path) await ensureDirectory(dirname(path));
  try {
    await mkdir(path, 0o700);
  } catch (error) {
    // Another process may have created it.
    if (!(await isDirectory(path))) throw error;
  }
}

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** Creates a private directory, or closes or refuses an existing one, as `closeToOthers` does. */
export async function ensurePrivateDirectory(path: string): Promise<void> {
  try {
    await ensureDirectory(path);
  } catch (cause) {
    throw cannotUse(path, cause);
  }
  await closeToOthers(path);
}

/** The error when a directory cannot be created or written to. */
export const cannotUse = (path: string, cause: unknown): RelayError =>
  new RelayError(
    'InvalidSettings',
    `The directory ${path} cannot be used (${(cause as NodeJS.ErrnoException).code}).`,
    { next: 'Set RELAY_DATA_DIR to a directory that you can write to.', cause },
  );
