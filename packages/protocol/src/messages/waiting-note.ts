import type { SendResult } from '../operations/operations.ts';

/** Tells a sender who does not get the message now, or at all; undefined if everybody gets it. */
export function waitingNote({
  recipients,
  offline,
  idle = [],
  notInChannel = [],
}: Pick<SendResult, 'recipients' | 'offline' | 'idle' | 'notInChannel'>): string | undefined {
  const notes = [
    ...(offline.length > 0
      ? [
          `Offline: ${among(offline, recipients)}. The message is delivered when ${offline.length === 1 ? 'it returns' : 'they return'}.`,
        ]
      : []),
    ...(idle.length > 0
      ? [
          `Idle: ${among(idle, recipients)}. ${idle.length === 1 ? 'It sees the message when it next checks its' : 'They see the message when they next check their'} inbox.`,
        ]
      : []),
    ...(notInChannel.length > 0
      ? [
          `Mentioned, but not in the channel: ${notInChannel.join(', ')}. ${notInChannel.length === 1 ? 'It does' : 'They do'} not get the message.`,
        ]
      : []),
  ];
  return notes.length === 0 ? undefined : notes.join(' ');
}

const among = (names: string[], recipients: number): string =>
  recipients === 1 ? names.join() : `${names.length} of ${recipients} (${names.join(', ')})`;
