import { nameKey, plainAgentName, RelayError } from '@agent-relay/protocol';
import type { AgentInfo, Relay } from '@agent-relay/sdk';
import { screenOf } from '../attach/snapshot.ts';
import type { AgentStatus, Driver } from './driver.ts';

export interface RelayDriverOptions {
  /** The environment of the agents. Default: the daemon's. */
  env?: Record<string, string>;
}

/**
 * Starts agents with the relay itself: in terminals on the daemon's machine, as workers of the agent that invokes the action, with
 * the rights that both have. It shows terminals only if it is connected as a person: only people may see them.
 */
export function relayDriver(relay: Relay, { env }: RelayDriverOptions = {}): Driver {
  const driver: Driver = {
    create: ({ name, cli, ...wish }, { workers }) =>
      workers.spawn(name, cli, { ...wish, ...(env && { env }) }),
    release: async ({ name, ...options }, { workers }) => {
      const { exit } = await workers.release(name, options);
      return { name, ...(exit && { exit }) };
    },
    status: async ({ name }) => {
      const agents = await relay.who({ includeOffline: true });
      const wanted = name === undefined ? agents : agents.filter((agent) => isNamed(agent, name));
      if (name !== undefined && wanted.length === 0)
        throw new RelayError('AgentNotFound', `No agent "${name}" is known.`);
      return wanted.map(statusOf);
    },
  };
  if (relay.welcome.agent?.type !== 'human') return driver;
  return { ...driver, attach: ({ name }, { terminals }) => screenOf(terminals, name) };
}

function isNamed({ name, handle }: AgentInfo, wanted: string): boolean {
  const key = nameKey(plainAgentName(wanted));
  return nameKey(name) === key || (handle !== undefined && nameKey(handle) === key);
}

const statusOf = ({ name, status, cli, task, parent, run }: AgentInfo): AgentStatus => ({
  name,
  status,
  ...(cli === undefined ? {} : { cli }),
  ...(task === undefined ? {} : { task }),
  ...(parent === undefined ? {} : { parent }),
  ...(run && { run }),
});
