import { isRelayError } from '@agent-relay/protocol';
import type { Store } from '../core/ports/store.ts';
import type { commands, Methods, queries } from './scripts/index.ts';

/** Messages in one transaction of upkeep: few, so that nobody who sends waits behind it for long. */
const STEP = 250;

type Scripted = Methods<typeof queries> & Methods<typeof commands>;

/** The methods that take several steps, each a transaction of its own. */
export function methodsInSteps(store: Scripted): Pick<Store, 'search' | 'removeWorkspace'> {
  return {
    async search(query) {
      try {
        // What is sent from now on may be missing: under a steady load there would be no end to it.
        for (let behind = await store.unindexed(); behind > 0; behind -= STEP)
          await store.indexForSearch(STEP);
      } catch (error) {
        // A database that cannot write can still be searched.
        if (!isRelayError(error) || !error.retryable) throw error;
      }
      return store.searchIndexed(query);
    },
    async removeWorkspace(workspace, at) {
      while ((await store.emptyWorkspace(workspace.id, STEP)) > 0);
      await store.dropWorkspace(workspace, at);
    },
  };
}
