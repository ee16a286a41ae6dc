import { rows, type Script } from '../scripts/script.ts';

/** One page in this many may stay free, for new messages. */
const SPARE = 10;
/** Fewer pages are not worth moving. */
const LEAST = 256;
/** Pages per transaction: few, so that no message waits long behind it. */
const STEP = 256;

export const commands = {
  /** Returns some free space of the file to the disk; returns the number of pages, 0 when done. */
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
