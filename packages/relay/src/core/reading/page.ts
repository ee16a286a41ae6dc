import { MAX_PAGE_BYTES } from '../ports/store/messages.ts';

/**
 * As many of the messages as one answer holds, and whether some were left out. `keep` says which end was asked for:
 * what does not fit is what was wanted least. A page that the store ended early is always cut: the message that took it
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
