import type { AgentType, Importance, MessageKind } from '../vocabulary.ts';
import type { Authority } from './authority.ts';

/** A file attached to a message; its content is fetched by id. */
export interface AttachmentInfo {
  id: string;
  name: string;
  mediaType: string;
  size: number;
  sha256: string;
}

/** A message as its readers see it; the payload of DELIVER. */
export interface Message {
  /** The store's sequence number: the order of everything, and the cursor of a feed. */
  seq: number;
  id: string;
  from: string;
  /** Absent for an agent. */
  fromType?: Exclude<AgentType, 'agent'>;
  /** The sender's name was only claimed: see `unverified` of HELLO. */
  unverified?: true;
  /** The resolved address: a name, the names of a group, `#channel` or `*`; with `project:` if it went to another one. */
  to: string;
  /** The sender's project, when it is not the reader's. */
  fromProject?: string;
  /** With its `#`, when it was posted in a channel. */
  channel?: string;
  /** All members of the group, including the sender, if it is a group message. */
  group?: string[];
  thread?: string;
  replyTo?: string;
  kind: MessageKind;
  importance: Importance;
  content: string;
  ts: number;
  expiresAt?: number;
  /** The sender waits, or waited, for a reply in `thread`. */
  awaitsReply?: true;
  /** The agents named in the text with `@Name`. */
  mentions?: string[];
  attachments?: AttachmentInfo[];
  /** The content was erased. */
  redacted?: true;
}

/** A message for one recipient, with what the sender is to it. */
export interface AddressedMessage extends Message {
  authority: Authority;
}

/** A message in an inbox, with its delivery status for the reader. */
export interface InboxMessage extends AddressedMessage {
  readAt?: number;
}

/** The payload of REPLY: the answer to an awaited message; `id` is the id of the SEND that waits. */
export interface ReplyPayload {
  id: string;
  message: Message;
}
