import { isRelayError } from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';
import { listKept } from '../../git/kept-commits.ts';
import { asOwner } from '../target/connect.ts';
import { repositoryHere, SHORT_ID } from '../target/repository.ts';
import type { Names } from './candidates.ts';

/** The names in the project of the command line. */
export function projectNames(words: string[]): Names {
  const named = words[words.indexOf('--project') + 1];
  const options = words.includes('--project') && named ? { project: named } : {};
  const ask = (work: (relay: Relay) => Promise<string[]>) =>
    orNone(() => asOwner(options, work, { quiet: true }));
  return {
    agents: () => ask(async (relay) => (await relay.who({ includeOffline: true })).map(({ name }) => name)),
    channels: () => ask(async (relay) => (await relay.channels.list()).map(({ name }) => name.slice(1))),
    projects: () =>
      ask(async (relay) => (await relay.request('WORKSPACE_LIST', {})).workspaces.map(({ name }) => name)),
    keptCommits: () =>
      orNone(async () =>
        (await listKept(await repositoryHere())).map(({ commit }) => commit.slice(0, SHORT_ID)),
      ),
  };
}

/** Completion must not report that there is no daemon, or no repository. */
async function orNone(work: () => Promise<string[]>): Promise<string[]> {
  try {
    return await work();
  } catch (error) {
    if (isRelayError(error)) return [];
    throw error;
  }
}
