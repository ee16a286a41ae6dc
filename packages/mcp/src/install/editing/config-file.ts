import { readdir, readFile, realpath, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  ensureDirectory,
  ensurePrivateDirectory,
  isMissing,
  systemReason,
  writeAtomically,
} from '@agent-relay/platform';
import { RelayError } from '@agent-relay/protocol';
import { dataDirectory, type Environment } from '@agent-relay/sdk/node';

/** The content of a configuration file; undefined if there is none. */
export async function readConfigFile(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw cannotUse(file, error);
  }
}

export interface Replacement {
  file: string;
  before: string | undefined;
  /** Undefined removes the file, and its directory if nothing else is in it. */
  after: string | undefined;
  /** Directories that are never removed. */
  keep?: readonly string[];
}

/**
 * Replaces the content atomically, after copying the old file to the data directory. Links and
 * permissions stay; a new file is private. A file that has changed since it was read is not touched. Returns
 * the path of the copy.
 */
export async function replaceConfigFile(change: Replacement, env: Environment): Promise<string | undefined> {
  const { before, after } = change;
  try {
    const file = before === undefined ? change.file : await realpath(change.file);
    const backup = before === undefined ? undefined : await backUp(file, env);
    const check = () => checkUnchanged(file, before);
    if (after === undefined) {
      await check();
      await rm(file);
      await removeIfEmpty(dirname(file), change.keep ?? []);
    } else {
      await ensureDirectory(dirname(file));
      await writeAtomically(file, after, { keepAttributes: true, check });
    }
    return backup;
  } catch (error) {
    throw cannotUse(change.file, error);
  }
}

async function removeIfEmpty(directory: string, keep: readonly string[]): Promise<void> {
  if (keep.includes(directory)) return;
  if ((await readdir(directory)).length === 0) await rmdir(directory);
}

async function backUp(file: string, env: Environment): Promise<string> {
  const directory = join(dataDirectory(env), 'backups');
  await ensurePrivateDirectory(directory);
  const time = new Date().toISOString().replaceAll(':', '-');
  const backup = join(directory, `${time}-${basename(dirname(file))}-${basename(file)}`);
  await writeAtomically(backup, await readFile(file));
  return backup;
}

async function checkUnchanged(file: string, before: string | undefined): Promise<void> {
  if ((await readConfigFile(file)) === before) return;
  throw new RelayError('InvalidClientConfig', `${file} was just changed by another program.`, {
    next: 'Run the command again.',
  });
}

const cannotUse = (file: string, error: unknown): RelayError =>
  error instanceof RelayError
    ? error
    : new RelayError(
        'InvalidClientConfig',
        `${file} cannot be used: ${systemReason(error, 'it does not exist')}.`,
        {
          next: 'Check that you can read and write the file and its directory.',
          cause: error,
        },
      );
