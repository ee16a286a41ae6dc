import { connect, type NodeConnectOptions, type Relay } from '@agent-relay/sdk/node';
import type { TestDaemon } from '../../kit/daemon.ts';

/** An SDK client of the daemon; without a name, its owner. */
export const client = (daemon: TestDaemon, options: NodeConnectOptions = {}): Promise<Relay> =>
  connect({
    socketPath: daemon.socketPath,
    project: daemon.project,
    env: daemon.env,
    reconnect: { minDelayMs: 5, maxDelayMs: 50 },
    ...options,
  });

/** Registers agents, so that they can be written to. */
export async function known(daemon: TestDaemon, ...names: string[]): Promise<void> {
  for (const name of names) await (await client(daemon, { name })).close();
}
