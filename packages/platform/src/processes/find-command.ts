import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { RelayError } from '@agent-relay/protocol';

/** The file that a command means, found as a shell finds it. */
export async function findCommand(command: string, env: NodeJS.ProcessEnv, cwd: string): Promise<string> {
  const places = command.includes('/')
    ? [resolve(cwd, command)]
    : (env.PATH ?? '').split(delimiter).map((directory) => join(resolve(cwd, directory), command));
  for (const place of places) if (await isExecutable(place)) return place;
  throw new RelayError('CommandNotFound', `Program not found: ${command}.`);
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    // Not there, or not for us: the next place may have it.
    return false;
  }
}
