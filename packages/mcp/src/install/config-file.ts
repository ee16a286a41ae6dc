import { randomUUID } from 'node:crypto';
import { open, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { RelayError } from '@agent-relay/protocol';
import {
  dataDirectory,
  type Environment,
  ensureDirectory,
  ensurePrivateDirectory,
  isMissing,
} from '@agent-relay/sdk/node';

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
  /** Undefined removes the file. */
  after: string | undefined;
}

/**
 * Puts new content in place, all of it or nothing, after copying the old file to the data directory. Links and
 * permissions stay; a new file is for its owner alone. A file that is no longer as it was read is left alone. Returns
 * where the copy is.
 */
export async function replaceConfigFile(change: Replacement, env: Environment): Promise<string | undefined> {
  const { before, after } = change;
  try {
    const file = before === undefined ? change.file : await realpath(change.file);
    const backup = before === undefined ? undefined : await backUp(file, env);
    await ensureDirectory(dirname(file));
    const draft = after === undefined ? undefined : await writeDraft(file, after);
    try {
      await checkUnchanged(file, before);
      if (draft === undefined) await rm(file);
      else await rename(draft, file);
    } catch (error) {
      if (draft !== undefined) await rm(draft, { force: true });
      throw error;
    }
    return backup;
  } catch (error) {
    throw cannotUse(change.file, error);
  }
}

async function backUp(file: string, env: Environment): Promise<string> {
  const directory = join(dataDirectory(env), 'backups');
  await ensurePrivateDirectory(directory);
  const time = new Date().toISOString().replaceAll(':', '-');
  const backup = join(directory, `${time}-${basename(dirname(file))}-${basename(file)}`);
  await writeFile(backup, await readFile(file), { mode: 0o600 });
  return backup;
}

async function writeDraft(file: string, content: string): Promise<string> {
  const old = await stat(file).catch((error) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  const draft = `${file}.${randomUUID()}.tmp`;
  await using handle = await open(draft, 'wx', 0o600);
  await handle.writeFile(content);
  if (old) await handle.chmod(old.mode & 0o777);
  // Root may edit the file of another user, who has to stay its owner.
  if (old && process.getuid?.() === 0) await handle.chown(old.uid, old.gid);
  await handle.sync();
  return draft;
}

async function checkUnchanged(file: string, before: string | undefined): Promise<void> {
  if ((await readConfigFile(file)) === before) return;
  throw new RelayError('InvalidClientConfig', `${file} was changed by another program at this moment.`, {
    next: 'Run the command again.',
  });
}

const cannotUse = (file: string, error: unknown): RelayError =>
  error instanceof RelayError
    ? error
    : new RelayError('InvalidClientConfig', `${file} cannot be used: ${(error as Error).message}`, {
        next: 'Check that the file and its directory may be read and written by you.',
        cause: error,
      });
