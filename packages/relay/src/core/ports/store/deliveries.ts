import type { ClaimingPath, DeliveryPath, DeliveryState, MessageKind } from '@agent-relay/protocol';
import type { StoredMessage } from './messages.ts';

/** One delivery with the times of its observed states; a missing time means not observed. */
export interface Delivery {
  recipientId: number;
  recipientName: string;
  seq: number;
  /** The path by which it was accepted, uncertain or injected. */
  path: DeliveryPath | undefined;
  /** The receiver that claimed it. */
  claimedBy: string | undefined;
  acceptedAt: number | undefined;
  uncertainAt: number | undefined;
  injectedAt: number | undefined;
  turnStartedAt: number | undefined;
  readAt: number | undefined;
  readPath: DeliveryPath | undefined;
  ackedAt: number | undefined;
}

/** A receiver claims deliveries of an agent for `path`. */
export interface Claim {
  recipientId: number;
  seqs: number[];
  by: string;
  path: ClaimingPath;
  at: number;
}

/** A delivery that a receiver claimed and has not reported on. */
export interface OpenClaim {
  id: string;
  senderId: number;
  path: ClaimingPath;
}

/** An observed state of one delivery; the first observation of a state stays. */
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
  /** Excludes claimed messages: all, or those of these receivers. */
  hideClaimed?: true | readonly string[];
  /** Only what this receiver claimed and has not reported on. */
  claimedBy?: string;
  after: number;
  limit: number;
  /** Excludes messages that expired before this time. */
  now: number;
  /** `oldest`: the first after `after` (a feed, an unread inbox); `newest`: the last ones, still in order. */
  take: 'oldest' | 'newest';
}

export interface DeliveryStore {
  /** A page of an agent's deliveries, in order of seq. Injected or read messages are not unread. */
  inbox(query: InboxQuery): Promise<Array<StoredMessage & { readAt: number | undefined }>>;
  /** The number of unread, unexpired messages of an agent, without those claimed by these receivers. */
  countUnread(recipientId: number, now: number, hideClaimed?: readonly string[]): Promise<number>;
  /** The same for many agents, including all claims; agents without any are omitted. */
  countUnreadOf(recipientIds: number[], now: number): Promise<Array<{ recipientId: number; unread: number }>>;
  /**
   * Atomically claims those that are unread and not claimed by others; they become `accepted`. Returns their seqs.
   * Includes what the same receiver has already claimed.
   */
  claim(claim: Claim): Promise<number[]>;
  /** Undoes claims of these receivers, unless something was reported on them. Returns the seqs. */
  unclaim(recipientId: number, seqs: number[], by: readonly string[]): Promise<number[]>;
  /** The claimants of an agent's deliveries; unclaimed ones are omitted. */
  claimsOf(recipientId: number, seqs: number[]): Promise<Array<{ seq: number; claimedBy: string }>>;
  /** What this receiver claimed and nothing was observed of since, by seq. */
  openClaims(recipientId: number, by: string): Promise<OpenClaim[]>;
  /** Records observations; `acked` implies `read`, `turn_started` implies `injected`. Returns how many rows changed. */
  observe(observations: Observation[]): Promise<number>;
  /** Those of `messageIds` that have a delivery to the agent. */
  deliveredSeqs(
    recipientId: number,
    messageIds: string[],
  ): Promise<Array<{ id: string; seq: number; senderId: number; createdAt: number }>>;
  /** Every delivery of a message, by recipient name. */
  deliveriesOf(seq: number): Promise<Delivery[]>;
  /** Who has read a message, and who has not, by name. */
  readers(seq: number): Promise<{ read: Array<{ agent: string; at: number }>; unread: string[] }>;
}
