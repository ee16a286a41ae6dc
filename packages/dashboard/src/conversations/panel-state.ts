import type { HistoryMessage } from '@agent-relay/sdk';
import { signal } from '@preact/signals';

/** What the panel next to a conversation shows. */
export type Panel =
  | { kind: 'thread' | 'delivery'; message: HistoryMessage }
  | { kind: 'channel'; channel: string };

export const panel = signal<Panel | undefined>(undefined);
