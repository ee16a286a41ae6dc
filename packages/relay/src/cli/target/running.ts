import { RelayError } from '@agent-relay/protocol';
import { runningProjects } from '@agent-relay/sdk/node';
import { facts, print } from '../output/terminal.ts';
import { asOwner } from './connect.ts';
import { type OpenedProject, openProjectAt, type ProjectLocation } from './project.ts';

/** Opens the location's project in the running daemon. */
export async function openInRunning(location: ProjectLocation): Promise<OpenedProject> {
  // Any project's socket reaches the daemon.
  const [running] = await runningProjects();
  if (!running) {
    throw new RelayError('DaemonNotRunning', 'The daemon is running but does not respond.', {
      next: 'Restart it with: agent-relay daemon restart',
    });
  }
  return await asOwner({ project: running.project }, (relay) =>
    openProjectAt(location, (root, name) =>
      relay.request('PROJECT_OPEN', { root, ...(name === undefined ? {} : { name }) }),
    ),
  );
}

/** The same, and says so. */
export async function joinRunning(
  location: ProjectLocation,
  pid: number | undefined,
  say: (text: string) => void = print,
): Promise<OpenedProject> {
  const opened = await openInRunning(location);
  say(`The daemon is already running${pid === undefined ? '' : ` (pid ${pid})`}.`);
  say(
    facts([
      ['project', opened.project],
      ['socket', opened.socketPath],
    ]),
  );
  return opened;
}
