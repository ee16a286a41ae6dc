import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

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
