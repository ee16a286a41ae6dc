import { RelayError } from '@agent-relay/protocol';
import { runningProjects } from '@agent-relay/sdk/node';
import { asOwner } from './connection.ts';
import { openPlace, type Place } from './project.ts';
import { facts, print } from './terminal.ts';

/** Opens the place's project in the daemon that runs already, and says so. */
export async function joinRunning(place: Place, pid: number | undefined): Promise<void> {
  // Any project's socket leads to the daemon.
  const [running] = await runningProjects();
  if (!running) throw new RelayError('DaemonNotRunning', 'The daemon that holds the lock does not answer.');
  const opened = await asOwner({ project: running.project }, (relay) =>
    openPlace(place, (root, name) =>
      relay.request('PROJECT_OPEN', { root, ...(name === undefined ? {} : { name }) }),
    ),
  );
  print(`The daemon is running already${pid === undefined ? '' : ` (process ${pid})`}.`);
  print(
    facts([
      ['project', opened.project],
      ['socket', opened.socketPath],
    ]),
  );
}
