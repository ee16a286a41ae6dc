import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { CLIENTS, type Client, type Machine } from './clients.ts';

/** The clients this user has: used before, or with a command on the PATH. */
export const installedClients = (machine: Machine): Client[] =>
  CLIENTS.filter(
    (client) => existsSync(client.traces(machine)) || client.commands.some((name) => isOnPath(name, machine)),
  );

const isOnPath = (command: string, { env }: Machine): boolean =>
  (env.PATH ?? '')
    .split(delimiter)
    .some((directory) => isAbsolute(directory) && isExecutable(join(directory, command)));

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // Whatever the reason, it cannot be started.
    return false;
  }
}
