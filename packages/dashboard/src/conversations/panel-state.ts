import type { HistoryMessage } from '@agent-relay/sdk';
import { signal } from '@preact/signals';

/** What the panel next to a conversation shows. */
export type Panel =
  | { kind: 'thread'; message: HistoryMessage; isReply: boolean }
  | { kind: 'delivery'; message: HistoryMessage }
  | { kind: 'channel'; channel: string };

export const panel = signal<Panel | undefined>(undefined);

/** `isReply`: to write in it, not only to read. */
export function openThread(message: HistoryMessage, { isReply = false } = {}): void {
  panel.value = { kind: 'thread', message, isReply };
}
