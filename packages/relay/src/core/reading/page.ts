import { RelayError } from '@agent-relay/protocol';
import { MAX_PAGE_BYTES } from '../ports/store/messages.ts';

/**
 * As many of the messages as fit in one answer, and whether some were cut. `keep` is the end that was requested:
 * messages at the other end are cut. A page that the store ended early is always cut: the message that took it
 * over the limit does not fit.
 */
export function page<T>(
  messages: T[],
  keep: 'oldest' | 'newest' = 'oldest',
): { messages: T[]; cut: boolean } {
  const wanted = keep === 'oldest' ? messages : messages.toReversed();
  let bytes = 0;
  const end = wanted.findIndex((message, index) => {
    bytes += Buffer.byteLength(JSON.stringify(message));
    return index > 0 && bytes > MAX_PAGE_BYTES;
  });
  if (end === -1) return { messages, cut: false };
  const fitting = wanted.slice(0, end);
  return { messages: keep === 'oldest' ? fitting : fitting.reverse(), cut: true };
}

/** Whether the store may have more than this page of at most `limit` messages. */
export function mayHaveMore(stored: Array<{ body: string }>, limit: number): boolean {
  if (stored.length >= limit) return true;
  let bytes = 0;
  for (const { body } of stored) bytes += Buffer.byteLength(body);
  return bytes > MAX_PAGE_BYTES;
}

/** The maximum entries per page; fewer if they are large. */
export const LIST_PAGE = 200;

/** The entries after a cursor, in order of id: additions and removals meanwhile do not shift the others. */
export function after<T extends { id: number }>(entries: T[], cursor: string | undefined): T[] {
  const last = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isSafeInteger(last))
    throw new RelayError('InvalidRequest', `cursor: "${cursor}" is not valid.`, {
      next: 'Ask again without a cursor.',
      details: { field: 'cursor' },
    });
  return entries.filter(({ id }) => id > last).sort((one, other) => one.id - other.id);
}

/** One page of a list, and the cursor of the next one if there is more. */
export function listPage<T extends { id: number }, Shown>(
  entries: T[],
  cursor: string | undefined,
  describe: (entry: T) => Shown,
): { items: Shown[]; next?: string } {
  const wanted = after(entries, cursor);
  const { messages: items } = page(wanted.slice(0, LIST_PAGE).map(describe));
  const last = wanted[items.length - 1];
  return last && items.length < wanted.length ? { items, next: String(last.id) } : { items };
}

/** The same for entries without ids: their places in the list are ids as long as the list is the same. */
export function pageByPlace<T>(
  entries: readonly T[],
  cursor: string | undefined,
): { items: T[]; next?: string } {
  const placed = entries.map((entry, at) => ({ id: at + 1, entry }));
  return listPage(placed, cursor, ({ entry }) => entry);
}
