import type { HistoryMessage } from '@agent-relay/sdk';
import { signal } from '@preact/signals';

/** What stands beside a conversation. */
export type Panel =
  | { kind: 'thread' | 'delivery'; message: HistoryMessage }
  | { kind: 'channel'; channel: string };

export const panel = signal<Panel | undefined>(undefined);
