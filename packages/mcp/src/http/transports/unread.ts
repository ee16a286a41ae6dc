import type { ServerResponse } from 'node:http';

/** A client that does not read pending data for this long is gone, or malicious. */
const UNREAD_MS = 30_000;

/** Closes a response that its client does not read; a response without pending data may stay open. */
export function endIfUnread(response: ServerResponse, unreadMs = UNREAD_MS): void {
  response.setTimeout(unreadMs, () => {
    if (response.writableNeedDrain) response.destroy();
  });
}
