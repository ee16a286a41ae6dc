import { glob } from 'node:fs/promises';

/** A file that matches this pattern. */
export async function findFile(pattern: string): Promise<string | undefined> {
  for await (const file of glob(pattern)) return file;
  return undefined;
}
