import { glob } from 'node:fs/promises';

/** Whether a file matches this pattern. */
export async function hasFile(pattern: string): Promise<boolean> {
  for await (const _ of glob(pattern)) return true;
  return false;
}
