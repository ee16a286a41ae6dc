import type { SendResult } from '@agent-relay/sdk';

/** What a sender should know about its message beside that it is stored; undefined if there is nothing. */
export function sendingNote({ recipients, offline, idle = [], held }: SendResult): string | undefined {
  if (held !== undefined) return `The message is held until a person releases it: ${held}`;
  const notes = [
    ...(offline.length > 0
      ? [`Offline now: ${among(offline, recipients)}. It is kept and delivered when they return.`]
      : []),
    ...(idle.length > 0
      ? [`Idle now: ${among(idle, recipients)}. They see it when they next look into their inbox.`]
      : []),
  ];
  return notes.length === 0 ? undefined : notes.join(' ');
}

const among = (names: string[], recipients: number): string =>
  recipients === 1 ? names.join() : `${names.length} of ${recipients} (${names.join(', ')})`;
