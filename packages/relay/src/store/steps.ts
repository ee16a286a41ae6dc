import { isRelayError } from '@agent-relay/protocol';
import type { Store } from '../core/ports/store.ts';
import { PIECE_BYTES } from './scripts/attachments.ts';
import type { commands, Methods, queries } from './scripts/index.ts';

/** Messages per maintenance transaction: few, so that no sender waits long behind it. */
const STEP = 250;
const STEP_BYTES = 2 * PIECE_BYTES;

type Scripted = Methods<typeof queries> & Methods<typeof commands>;

/** Methods with several steps, each in its own transaction. */
export function methodsInSteps(store: Scripted): Pick<Store, 'search' | 'addAttachment' | 'removeWorkspace'> {
  return {
    async search(query) {
      try {
        // Messages sent from now on may be missing: under a steady load it would never end.
        for (let behind = await store.unindexed(); behind > 0; behind -= STEP)
          await store.indexForSearch(STEP);
      } catch (error) {
        // A read-only database can still be searched.
        if (!isRelayError(error) || !error.retryable) throw error;
      }
      return store.searchIndexed(query);
    },
    async addAttachment(attachment, content) {
      const { sha256, size } = attachment;
      await store.registerAttachment(attachment);
      if ((await store.contentBytes(sha256)) === size) return;
      for (let start = 0; start < size; start += STEP_BYTES) {
        // A copy: a view would transfer the whole file to the other thread.
        await store.addContent(sha256, start, content.slice(start, start + STEP_BYTES));
      }
    },
    async removeWorkspace(workspace, at) {
      while ((await store.emptyWorkspace(workspace.id, STEP)) > 0);
      await store.dropWorkspace(workspace, at);
    },
  };
}
