import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** The processes that run in a directory, and whose command is like this. */
export async function processesIn(
  directory: string,
  isWanted: (words: string[]) => boolean,
): Promise<number[]> {
  const found: number[] = [];
  for (const pid of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    // Any of them may end meanwhile.
    const [command, cwd] = await Promise.all([
      readFile(join('/proc', pid, 'cmdline'), 'utf8').catch(() => ''),
      readlink(join('/proc', pid, 'cwd')).catch(() => ''),
    ]);
    if (cwd === directory && isWanted(command.split('\0'))) found.push(Number(pid));
  }
  return found;
}
