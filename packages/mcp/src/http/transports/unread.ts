import type { ServerResponse } from 'node:http';

/** A client that reads nothing for so long while something waits for it has gone, or wants it to pile up. */
const UNREAD_MS = 30_000;

/** Closes a response that its client does not read; one that has nothing to say may stay silent for as long as it likes. */
export function endIfUnread(response: ServerResponse, unreadMs = UNREAD_MS): void {
  response.setTimeout(unreadMs, () => {
    if (response.writableNeedDrain) response.destroy();
  });
}
