import type { OperationResult } from '@agent-relay/sdk';
import { signal } from '@preact/signals';

/** How many messages there were in each minute of the last hour, as the daemon counts them. */
export type MessageCounts = OperationResult<'MESSAGE_COUNTS'>;

/** By sender; of the whole project under the empty name. Every figure of messages is from here. */
export const messageCounts = signal<ReadonlyMap<string, MessageCounts>>(new Map());

export const totalOf = ({ counts }: MessageCounts): number => counts.reduce((sum, count) => sum + count, 0);
