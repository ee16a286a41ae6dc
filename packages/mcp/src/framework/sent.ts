import { waitingNote } from '@agent-relay/protocol';
import type { SendResult } from '@agent-relay/sdk';

/** A note for the sender about offline, idle or held deliveries, if any. */
export const sendingNote = (sent: SendResult): string | undefined =>
  sent.held === undefined
    ? waitingNote(sent)
    : `The message is held until a person releases it: ${sent.held}`;
