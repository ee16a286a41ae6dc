import type { SendResult } from '@agent-relay/sdk';

/** A note for the sender about offline, idle or held deliveries, if any. */
export function sendingNote({ recipients, offline, idle = [], held }: SendResult): string | undefined {
  if (held !== undefined) return `The message is held until a person releases it: ${held}`;
  const notes = [
    ...(offline.length > 0
      ? [`Offline: ${among(offline, recipients)}. The message is delivered when they return.`]
      : []),
    ...(idle.length > 0
      ? [`Idle: ${among(idle, recipients)}. They see it when they next check their inbox.`]
      : []),
  ];
  return notes.length === 0 ? undefined : notes.join(' ');
}

const among = (names: string[], recipients: number): string =>
  recipients === 1 ? names.join() : `${names.length} of ${recipients} (${names.join(', ')})`;
