import { asOwner } from './connection.ts';
import { DEFAULT_PROJECT, openPlace, type Place } from './project.ts';
import { facts, print } from './terminal.ts';

/** Opens the place's project in the daemon that runs already, and says so. */
export async function joinRunning(place: Place, pid: number | undefined): Promise<void> {
  const opened = await asOwner({ project: DEFAULT_PROJECT }, (relay) =>
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
