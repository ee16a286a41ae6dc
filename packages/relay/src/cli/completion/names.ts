import { isRelayError } from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';
import { asOwner } from '../target/connect.ts';
import type { Names } from './candidates.ts';

/** The names in the project of the command line. */
export function projectNames(words: string[]): Names {
  const named = words[words.indexOf('--project') + 1];
  const options = words.includes('--project') && named ? { project: named } : {};
  const ask = async (work: (relay: Relay) => Promise<string[]>): Promise<string[]> => {
    try {
      return await asOwner(options, work, { quiet: true });
    } catch (error) {
      // Completion must not report that there is no daemon.
      if (isRelayError(error)) return [];
      throw error;
    }
  };
  return {
    agents: () => ask(async (relay) => (await relay.who({ includeOffline: true })).map(({ name }) => name)),
    channels: () => ask(async (relay) => (await relay.channels.list()).map(({ name }) => name.slice(1))),
    projects: () =>
      ask(async (relay) => (await relay.request('WORKSPACE_LIST', {})).workspaces.map(({ name }) => name)),
  };
}
