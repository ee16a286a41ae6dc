import { lstat, stat } from 'node:fs/promises';

/**
 * Why what lies in a directory is not believed; undefined if it is, or if there is no directory yet. Whoever can write
 * there could approve tools and say what servers offer.
 */
export async function reasonToDistrust(directory: string): Promise<string | undefined> {
  const own = process.getuid?.();
  try {
    const [entry, target] = await Promise.all([lstat(directory), stat(directory)]);
    if (own !== undefined && (entry.uid !== own || target.uid !== own))
      return `${directory} belongs to another user`;
    return (target.mode & 0o022) === 0 ? undefined : `others can write to ${directory}`;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // What else is wrong with it is told by those who use it.
    return code === 'EACCES' ? `${directory} cannot be entered` : undefined;
  }
}
