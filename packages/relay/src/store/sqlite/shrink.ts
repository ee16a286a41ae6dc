import { rows, type Script } from '../scripts/script.ts';

/** Free pages in so many of all: new messages will fill them, so they stay. */
const SPARE = 10;
/** Less than so many pages are not worth the moving. */
const LEAST = 256;
/** Pages in one transaction: few, so that no message waits behind it for long. */
const STEP = 256;

export const commands = {
  /** Gives free space of the file back, a little of it; returns how many pages that were, 0 when it is done. */
  *shrink(): Script<number> {
    const before = yield* pageCount();
    const [{ free } = { free: 0 }] = yield* rows<{ free: number }>(
      'SELECT freelist_count AS free FROM pragma_freelist_count',
    );
    if (free < LEAST + before / SPARE) return 0;
    yield* rows(`PRAGMA incremental_vacuum(${STEP})`);
    return before - (yield* pageCount());
  },
};

function* pageCount(): Script<number> {
  const [row] = yield* rows<{ pages: number }>('SELECT page_count AS pages FROM pragma_page_count');
  return row?.pages ?? 0;
}
