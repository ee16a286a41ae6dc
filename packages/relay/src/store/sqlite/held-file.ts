import { open } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;
/** Long enough to outlast a process that only checks the lock. */
const LOOKERS_PASS_MS = 200;

/**
 * Makes this process the holder of a file, until the returned function is called; undefined if another one holds it.
 *
 * The lock is an open transaction on an empty SQLite file: the system releases it with the process, however that ends,
 * so there is no stale lock and no process id to trust.
 */
export async function holdFile(path: string): Promise<(() => void) | undefined> {
  // Created private: SQLite gives its additional files the same mode.
  await (await open(path, 'a', 0o600)).close();
  const database = new DatabaseSync(path, { timeout: LOOKERS_PASS_MS });
  try {
    database.exec('PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return () => database.close();
}

export const isBusy = (error: unknown): boolean => (error as { errcode?: number }).errcode === SQLITE_BUSY;
