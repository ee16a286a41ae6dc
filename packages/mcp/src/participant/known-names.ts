import { type Relay, RelayError } from '@agent-relay/sdk';
import type { Participant } from './participant.ts';

/** The names of all agents, for completion. */
export const knownAgents = (participant: Participant): Promise<string[]> =>
  namesFrom(participant, (relay) => relay.who({ includeOffline: true }));

/** The names of all channels, for completion. */
export const knownChannels = (participant: Participant): Promise<string[]> =>
  namesFrom(participant, (relay) => relay.channels.list());

/** Empty without a daemon: completion should not report errors. */
async function namesFrom(
  participant: Participant,
  list: (relay: Relay) => Promise<Array<{ name: string }>>,
): Promise<string[]> {
  try {
    return (await list(await participant.relay())).map(({ name }) => name);
  } catch (error) {
    if (error instanceof RelayError) return [];
    throw error;
  }
}
