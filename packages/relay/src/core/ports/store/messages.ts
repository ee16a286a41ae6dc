import type { AttachmentInfo, Importance, MessageKind } from '@agent-relay/protocol';

/** The kinds of conversations a message can be in. */
export type ConversationKind = 'dm' | 'group' | 'channel' | 'broadcast';

/** The recipients of a message. */
export type Audience =
  | { kind: 'agents'; ids: number[] }
  /** Every member of the draft's channel at the time of the commit, except the sender. */
  | { kind: 'members' }
  /** Every agent of the workspace at the time of the commit, except the sender. */
  | { kind: 'workspace' };

export interface MessageDraft {
  /** Unique everywhere. */
  id: string;
  /** Chosen by the sender; together they identify the message for retries. */
  clientId: string;
  workspaceId: number;
  conversationId: number;
  senderId: number;
  /** The sender's name was only claimed. */
  unverified: boolean;
  audience: Audience;
  body: string;
  thread: string | undefined;
  replyTo: string | undefined;
  kind: MessageKind;
  importance: Importance;
  awaitsReply: boolean;
  createdAt: number;
  expiresAt: number | undefined;
  /** The agents named in the body; their deliveries are marked. */
  mentions: Array<{ id: number; name: string }>;
  attachments: AttachmentInfo[];
}

/** A stored message, with the names that belong to it. */
export interface StoredMessage extends Omit<MessageDraft, 'audience' | 'clientId' | 'mentions'> {
  seq: number;
  senderName: string;
  /** Another workspace than `workspaceId` when the message came from another project. */
  senderWorkspaceId: number;
  mentions: string[];
  redactedAt: number | undefined;
  /** The name of a channel as it was created, without `#`. */
  channelName: string | undefined;
  conversationKind: ConversationKind;
  conversationKey: string;
  /** The other agent of a DM. */
  recipientName: string | undefined;
}

export interface Appended {
  seq: number;
  id: string;
  thread: string | undefined;
  /** The ids of its recipients; none for a duplicate. */
  recipients: number[];
  /** `same`: this sender already used the id for the same message; `other`: for another one (nothing was stored). */
  duplicate: 'no' | 'same' | 'other';
}

/**
 * A page of messages is an answer in one frame. Every query for a page ends, before its limit, at the message whose
 * body takes the page over this many bytes: the rows after it are not read.
 */
export const MAX_PAGE_BYTES = 512 * 1024;

export interface MessageStore {
  /**
   * Stores a message and one delivery for each agent of its audience, in one transaction.
   * The same `senderId` and `clientId` again store nothing: the first message is returned, and `duplicate` says
   * whether conversation, body, kind, importance and replyTo are the same.
   */
  appendMessage(draft: MessageDraft): Promise<Appended>;
  /** Whether the sender has a stored message with this `clientId`. */
  hasSent(senderId: number, clientId: string): Promise<boolean>;
  /** A page of the messages of a workspace with `seq > after`, in order. */
  listMessages(query: { workspaceId: number; after: number; limit: number }): Promise<StoredMessage[]>;
  /** The highest sequence number of the workspace; 0 when it has no message. */
  lastSeq(workspaceId: number): Promise<number>;
  /**
   * The first message from `senderId` to `recipientId` after `after` that answers the awaited message `question`: it is
   * in its thread or replies to it and was not taken as the answer to another one, or it was taken as that to this one.
   */
  findReply(query: {
    senderId: number;
    recipientId: number;
    after: number;
    question: { seq: number; id: string; thread: string };
  }): Promise<StoredMessage | undefined>;
  /** Records which awaited message it answers. The first record stays. */
  noteAnswer(answer: { recipientId: number; seq: number; question: number }): Promise<void>;
}
