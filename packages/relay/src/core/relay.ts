import { idMaker } from '@agent-relay/protocol';
import { Agents } from './agents.ts';
import { Awaits } from './awaits.ts';
import { Deliveries } from './deliveries.ts';
import { Fanout } from './fanout.ts';
import { Messages } from './messages.ts';
import type { Clock } from './ports/clock.ts';
import type { Store } from './ports/store.ts';
import { Presence } from './presence.ts';
import { Workspaces } from './workspaces.ts';

export interface RelayOptions {
  store: Store;
  clock: Clock;
  /** A number from 0 to 1, for ids. */
  random: () => number;
  maxBodyBytes: number;
  idleAfterMs: number;
  /** Gets the failures of work that nobody waits for. */
  onError: (error: unknown) => void;
}

/** The domain, put together. It does no I/O of its own: the store, the clock and the connections come from outside. */
export interface Relay {
  readonly store: Store;
  readonly clock: Clock;
  readonly workspaces: Workspaces;
  readonly agents: Agents;
  readonly presence: Presence;
  readonly messages: Messages;
  readonly deliveries: Deliveries;
  readonly awaits: Awaits;
  readonly fanout: Fanout;
}

export async function createRelay(options: RelayOptions): Promise<Relay> {
  const { store, clock } = options;
  const background = (work: Promise<void>) => void work.catch(options.onError);
  const workspaces = await Workspaces.load(store, clock);
  const presence = new Presence(clock, options.idleAfterMs);
  const agents = new Agents(store, clock, presence, background);
  for (const workspace of workspaces.list()) await agents.load(workspace);
  const newId = idMaker(() => clock.now(), options.random);
  const messages = new Messages({
    store,
    clock,
    newId,
    agents,
    presence,
    maxBodyBytes: options.maxBodyBytes,
  });
  const deliveries = new Deliveries(store, clock, agents, presence);
  const awaits = new Awaits(clock);
  const fanout = new Fanout(presence, awaits);
  messages.onStored = (stored) => fanout.publish(stored);
  return {
    store,
    clock,
    workspaces,
    agents,
    presence,
    messages,
    deliveries,
    awaits,
    fanout,
  };
}
