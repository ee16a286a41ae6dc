import { safeLine } from '@agent-relay/protocol';
import { VERSION } from '../../version.ts';
import { printAside } from './terminal.ts';

/** Says that the daemon has a different version than this command: after an upgrade the old one may still be running. */
export function tellSkew(daemonVersion: string, isRemote = false): void {
  if (daemonVersion === VERSION) return;
  const next = isRemote
    ? 'Use the same version on both machines.'
    : 'Restart it with: agent-relay daemon restart';
  printAside(
    safeLine(`note: The daemon is version ${daemonVersion}, this command is version ${VERSION}. ${next}`),
  );
}
