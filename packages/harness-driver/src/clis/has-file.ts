import { glob } from 'node:fs/promises';

/** Whether there is a file of this form. */
export async function hasFile(pattern: string): Promise<boolean> {
  for await (const _ of glob(pattern)) return true;
  return false;
}
