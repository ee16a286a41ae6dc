import type { ClaimingPath, DeliveryPath, DeliveryState, MessageKind } from '@agent-relay/protocol';
import type { StoredMessage } from './messages.ts';

/** One delivery with the times of what was observed; a missing time means it was not. */
export interface Delivery {
  recipientId: number;
  recipientName: string;
  seq: number;
  /** By which it was accepted, uncertain or injected. */
  path: DeliveryPath | undefined;
  /** The receiver that took it to put it into the agent's context. */
  claimedBy: string | undefined;
  acceptedAt: number | undefined;
  uncertainAt: number | undefined;
  injectedAt: number | undefined;
  turnStartedAt: number | undefined;
  readAt: number | undefined;
  readPath: DeliveryPath | undefined;
  ackedAt: number | undefined;
}

/** A receiver takes deliveries of an agent to put them into its context by `path`. */
export interface Claim {
  recipientId: number;
  seqs: number[];
  by: string;
  path: ClaimingPath;
  at: number;
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
  /** Leaves out what is claimed: by anybody, or by one of these receivers. */
  hideClaimed?: true | readonly string[];
  /** Only what this receiver claimed, and has said nothing of since. */
  claimedBy?: string;
  after: number;
  limit: number;
  /** Messages that expired before this time are left out. */
  now: number;
  /** `oldest`: the first after `after` (a feed, an unread inbox); `newest`: the last ones, still in order. */
  take: 'oldest' | 'newest';
}

export interface DeliveryStore {
  /** A page of an agent's deliveries, in order of seq. What was injected or read is not unread. */
  inbox(query: InboxQuery): Promise<Array<StoredMessage & { readAt: number | undefined }>>;
  /** How many unread, unexpired messages an agent has, without what these receivers have claimed. */
  countUnread(recipientId: number, now: number, hideClaimed?: readonly string[]): Promise<number>;
  /** The same for many agents at once, all claims included; those who have none are left out. */
  countUnreadOf(recipientIds: number[], now: number): Promise<Array<{ recipientId: number; unread: number }>>;
  /**
   * Takes those that nobody else has claimed and that are unread, atomically; they are `accepted`. Returns their seqs.
   * What the same receiver has claimed already is among them.
   */
  claim(claim: Claim): Promise<number[]>;
  /** Gives up claims of these receivers as if they had never been, unless something came of them. Returns the seqs. */
  unclaim(recipientId: number, seqs: number[], by: readonly string[]): Promise<number[]>;
  /** Who has claimed which of an agent's deliveries; those that nobody has are left out. */
  claimsOf(recipientId: number, seqs: number[]): Promise<Array<{ seq: number; claimedBy: string }>>;
  /** Records observations; `acked` implies `read`, `turn_started` implies `injected`. Returns how many rows changed. */
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
