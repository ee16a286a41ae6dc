import { checkOwner, isMissing } from '@agent-relay/platform';
import { RelayError } from '@agent-relay/protocol';
import { locateSocket, notRunning } from './discover.ts';
import { runningProjects } from './running-projects.ts';
import type { SocketFinderOptions } from './socket-finder.ts';

/**
 * The socket to send a workspace key to if no URL is given: a port on this machine could be another program's. The key
 * selects the workspace.
 */
export const findKeySocket = (options: SocketFinderOptions): Promise<string> =>
  findDaemonSocket(
    options,
    'Start it with: agent-relay daemon start; if the key is for a daemon elsewhere, set RELAY_URL to its address.',
  );

/**
 * A socket of this user's daemon, for requests without a project: the one given, else that of any project
 * that is running.
 */
export async function findDaemonSocket(options: SocketFinderOptions = {}, next?: string): Promise<string> {
  const { env = process.env, socketPath } = options;
  const isChosen = options.project !== undefined || env.RELAY_SOCKET;
  const chosen = socketPath === undefined && isChosen ? await locateSocket(options) : undefined;
  const [running] = socketPath === undefined ? await runningProjects(env) : [];
  const found = socketPath ?? chosen?.socketPath ?? running?.socketPath;
  const missing = (message: string) =>
    new RelayError('DaemonNotRunning', message, next === undefined ? {} : { next });
  if (found === undefined) throw missing('No daemon is running for this user.');
  try {
    await checkOwner(found);
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw chosen && running ? await notRunning(chosen, env) : missing(`No daemon listens on ${found}.`);
  }
  return found;
}
