import { randomBytes } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensurePrivateDirectory } from '@agent-relay/platform';
import {
  checkDataDirectory,
  dataDirectory,
  type Environment,
  MAX_SOCKET_PATH_BYTES,
} from '@agent-relay/sdk/node';

/** Private files of one run, deleted with it. */
export interface RunDirectory extends AsyncDisposable {
  writeFile(name: string, content: string): Promise<string>;
  /** A path for a socket; undefined if it would be too long. */
  socketPath(name: string): Promise<string | undefined>;
}

/** Directories left behind by killed runs are removed by the next run. */
export async function openRunDirectory(env: Environment): Promise<RunDirectory> {
  await checkDataDirectory(env);
  const runs = join(dataDirectory(env), 'runs');
  await ensurePrivateDirectory(dataDirectory(env));
  await ensurePrivateDirectory(runs);
  for (const name of await readdir(runs)) {
    if (!isAlive(Number.parseInt(name, 10))) await rm(join(runs, name), { recursive: true, force: true });
  }
  const directory = join(runs, `${process.pid}-${randomBytes(4).toString('hex')}`);
  return {
    async writeFile(name, content) {
      await ensurePrivateDirectory(directory);
      await writeFile(join(directory, name), content, { mode: 0o600 });
      return join(directory, name);
    },
    async socketPath(name) {
      await ensurePrivateDirectory(directory);
      const path = join(directory, name);
      return Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES ? path : undefined;
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
