import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a directory and those above it, like `mkdir -p`. Node's own recursive mode tries for ever where a directory
 * takes no others and says that it is not there, as /proc does.
 */
export async function ensureDirectory(path: string, mode?: number): Promise<void> {
  if (await isDirectory(path)) return;
  if (dirname(path) !== path) await ensureDirectory(dirname(path), mode);
  try {
    await mkdir(path, mode);
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
