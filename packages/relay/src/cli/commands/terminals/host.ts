import { text } from 'node:stream/consumers';
import type { DetachedRun } from '@agent-relay/harness-driver';
import { isRelayError, RelayError } from '@agent-relay/protocol';
import { Command } from 'commander';
import type { HostFailure } from '../../../daemon/hosts/host-processes.ts';
import { VERSION } from '../../../version.ts';
import { PROGRAM } from '../../program-file.ts';

/** A worker also submits its result. */
const WORKER_TOOLS = 'relay,worker';

/** The process the daemon starts for a spawned agent. What to run is passed on stdin, because it contains a token. */
export const command = new Command('host')
  .description('Run a spawned agent (started by the daemon)')
  .action(async () => {
    try {
      const said = await text(process.stdin);
      // The daemon was killed before it had recorded this process: then nobody could end what it starts.
      if (said === '') process.exit(0);
      const wanted: DetachedRun = JSON.parse(said);
      const { runDetached } = await import('@agent-relay/harness-driver');
      await runDetached(wanted, {
        server: [process.execPath, PROGRAM, 'mcp', 'serve', '--tools', WORKER_TOOLS],
        client: { name: 'agent-relay', version: VERSION },
      });
      process.exit(0);
    } catch (error) {
      const failure = isRelayError(error)
        ? error
        : new RelayError('Internal', String(error), { cause: error });
      await tellDaemon({ error: failure.toPayload() });
      throw error;
    }
  });

/** Does nothing if the daemon is gone. */
async function tellDaemon(failure: HostFailure): Promise<void> {
  if (process.connected) await new Promise((sent) => process.send?.(failure, undefined, undefined, sent));
}
