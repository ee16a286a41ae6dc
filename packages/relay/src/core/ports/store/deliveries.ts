import type { DeliveryPath, DeliveryState, MessageKind } from '@agent-relay/protocol';
import type { StoredMessage } from './messages.ts';

/** One delivery with the times of what was observed; a missing time means it was not. */
export interface Delivery {
  recipientId: number;
  recipientName: string;
  seq: number;
  path: DeliveryPath | undefined;
  acceptedAt: number | undefined;
  injectedAt: number | undefined;
  turnStartedAt: number | undefined;
  readAt: number | undefined;
  ackedAt: number | undefined;
}

/** Something observed of one delivery; the first observation of a state stays. */
export interface Observation {
  recipientId: number;
  seq: number;
  state: Exclude<DeliveryState, 'stored'>;
  path: DeliveryPath | undefined;
  at: number;
}

export interface InboxQuery {
  recipientId: number;
  unreadOnly: boolean;
  /** Only messages of this sender. */
  fromId?: number;
  /** Only messages of this conversation. */
  conversationId?: number;
  thread?: string;
  kind?: MessageKind;
  /** Only messages whose delivery is marked as a mention. */
  mentioned?: boolean;
  after: number;
  limit: number;
  /** Messages that expired before this time are left out. */
  now: number;
  /** `oldest`: the first after `after` (a feed, an unread inbox); `newest`: the last ones, still in order. */
  take: 'oldest' | 'newest';
}

export interface DeliveryStore {
  /** A page of an agent's deliveries, in order of seq. */
  inbox(query: InboxQuery): Promise<Array<StoredMessage & { readAt: number | undefined }>>;
  /** How many unread, unexpired messages an agent has. */
  countUnread(recipientId: number, now: number): Promise<number>;
  /** Records observations; `read` and `acked` imply each other downwards (acked ⇒ read). Returns how many rows changed. */
  observe(observations: Observation[]): Promise<number>;
  /** Those of `messageIds` that have a delivery to the agent. */
  deliveredSeqs(
    recipientId: number,
    messageIds: string[],
  ): Promise<Array<{ id: string; seq: number; senderId: number }>>;
  /** Every delivery of a message, by recipient name. */
  deliveriesOf(seq: number): Promise<Delivery[]>;
  /** Who has read a message, and who has not yet, by name. */
  readers(seq: number): Promise<{ read: Array<{ agent: string; at: number }>; unread: string[] }>;
}
