import { isRelayError } from '@agent-relay/protocol';
import type { Store } from '../core/ports/store.ts';
import { PIECE_BYTES } from './scripts/attachments.ts';
import type { commands, Methods, queries } from './scripts/index.ts';

/** Messages in one transaction of upkeep: few, so that nobody who sends waits behind it for long. */
const STEP = 250;
const STEP_BYTES = 2 * PIECE_BYTES;

type Scripted = Methods<typeof queries> & Methods<typeof commands>;

/** The methods that take several steps, each a transaction of its own. */
export function methodsInSteps(store: Scripted): Pick<Store, 'search' | 'addAttachment' | 'removeWorkspace'> {
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
    async addAttachment(attachment, content) {
      const { sha256, size } = attachment;
      await store.registerAttachment(attachment);
      if ((await store.contentBytes(sha256)) === size) return;
      for (let start = 0; start < size; start += STEP_BYTES) {
        // A copy: a view would take the whole file along to another thread.
        await store.addContent(sha256, start, content.slice(start, start + STEP_BYTES));
      }
    },
    async removeWorkspace(workspace, at) {
      while ((await store.emptyWorkspace(workspace.id, STEP)) > 0);
      await store.dropWorkspace(workspace, at);
    },
  };
}
