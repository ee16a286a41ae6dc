import { z } from 'zod';
import type { AddressedMessage, InboxMessage, Message } from '../messages/message.ts';
import type { Reason } from '../messages/reasons.ts';
import { CLAIMING_PATHS, type DeliveryPath, type DeliveryState, MESSAGE_KINDS } from '../vocabulary.ts';
import { ackPayload, clientId, emoji, receivePayload, reportPayload, sendPayload } from '../wire/payloads.ts';
import { messageId, type Nothing, name, result, sequence } from './define.ts';

export interface SendResult {
  messageId: string;
  seq: number;
  /** The thread of the message: as requested, that of the message it replies to, or a new one if a reply is awaited. */
  thread?: string;
  /** True if this id was stored before; nothing new happened. */
  duplicate: boolean;
  /** The number of recipients, how many of them were connected, and (some of) those who were not. */
  recipients: number;
  online: number;
  offline: string[];
  /** (Some of) those who were connected but idle. */
  idle?: string[];
  /** (Some of) those who are mentioned and not in the channel: they do not get it. */
  notInChannel?: string[];
  /** Why the loop governor holds it: nobody gets it until a person releases it. */
  held?: string;
}

/** The status of one delivery, and what it is waiting for. */
export interface DeliveryTrace {
  recipient: string;
  state: DeliveryState;
  /** The path that has it, or that delivered it. */
  path?: DeliveryPath;
  /** Why it is waiting. */
  reason?: Reason;
  transitions: Array<{ state: DeliveryState; at: number; path?: DeliveryPath }>;
}

export interface Reaction {
  emoji: string;
  agents: string[];
}

/** A message in the history, with its reactions. */
export interface HistoryMessage extends Message {
  reactions?: Reaction[];
}

export interface SearchHit {
  message: Message;
  /** The text around the matches; each match is between U+E000 and U+E001. */
  highlight: string;
}

/** A direct conversation of the requesting agent. */
export interface ConversationInfo {
  kind: 'dm' | 'group';
  /** All members except the requesting agent. */
  participants: string[];
  last: Message;
  unread: number;
}

/** A message held by the loop governor. */
export interface HeldInfo {
  id: string;
  from: string;
  unverified?: true;
  to: string;
  content: string;
  reason: string;
  heldAt: number;
}

/** The hold on a message, shown to its sender and to the owner, who decides about it. */
export interface HoldTrace {
  reason: string;
  heldAt: number;
  /** Absent while it waits. A discarded message is shown without its content. */
  settled?: { outcome: 'released' | 'discarded'; by: string; at: number };
}

const limit = (most: number, usual: number) => z.int().min(1).max(most).default(usual);

export const messageOperations = {
  SEND: { params: sendPayload, result: result<SendResult>() },
  /** Ends an operation that continues after its answer (SEND with `await`, WAIT, TAIL). Sent messages stay sent. */
  CANCEL: { params: z.object({ id: clientId }).strict(), result: result<Nothing>() },
  INBOX: {
    params: z
      .object({
        limit: limit(500, 10),
        unread_only: z.boolean().default(true),
        from: name.optional(),
        channel: name.optional(),
        thread: z.string().max(128).optional(),
        kind: z.enum(MESSAGE_KINDS).optional(),
        /** Only messages that mention the requesting agent. */
        mentions: z.boolean().optional(),
        /** Only messages after this sequence number. */
        after: sequence.optional(),
        /** The agent is about to see these: no path delivers them until they are marked read, or for a short time. */
        take: z.boolean().default(false),
      })
      .strict(),
    result: result<{ messages: InboxMessage[]; unread: number }>(),
  },
  /** Waits for a message: answered right away if some are unread, else with a REPLY for the first new one. */
  WAIT: {
    params: z.object({ timeoutMs: z.int().min(1).max(86_400_000) }).strict(),
    result: result<{ unread: number }>(),
  },
  /** Changes the paths of this connection, and whether it is notified of messages. */
  RECEIVE: { params: receivePayload, result: result<{ resumeAfter?: number }>() },
  /**
   * Takes the oldest unclaimed messages for delivery by a path, before they are shown to the agent. Messages that
   * the receiver already claimed and has not reported on come first.
   */
  CLAIM: {
    params: z.object({ path: z.enum(CLAIMING_PATHS), limit: limit(100, 16) }).strict(),
    result: result<{ messages: AddressedMessage[] }>(),
  },
  /** What a path reports about itself or about messages it claimed. */
  REPORT: { params: reportPayload, result: result<{ changed: number }>() },
  ACK: { params: ackPayload, result: result<{ changed: number }>() },
  TRACE: {
    params: z.object({ id: messageId }).strict(),
    result: result<{ message: Message; deliveries: DeliveryTrace[]; held?: HoldTrace }>(),
  },
  /** Follow every message of the project as EVENT envelopes; for its owner. */
  TAIL: {
    params: z.object({ after: sequence.optional() }).strict(),
    result: result<{ after: number }>(),
  },
  /** A page of what the requesting agent can see, in order: the newest, or by the cursors `before` and `after`. */
  HISTORY: {
    params: z
      .object({
        agent: name.optional(),
        channel: name.optional(),
        /** Only the direct or group conversation of exactly these agents. */
        participants: z.array(name).min(1).max(64).optional(),
        thread: z.string().max(128).optional(),
        kind: z.enum(MESSAGE_KINDS).optional(),
        since: z.int().nonnegative().optional(),
        before: sequence.optional(),
        after: sequence.optional(),
        limit: limit(500, 50),
      })
      .strict(),
    result: result<{ messages: HistoryMessage[]; more: boolean }>(),
  },
  /** How many messages were sent per minute in the project, or by one agent in it; for its owner. */
  MESSAGE_COUNTS: {
    params: z.object({ minutes: limit(1440, 60), agent: name.optional() }).strict(),
    /** `since`: when the first of these minutes began. The last one goes on. */
    result: result<{ since: number; counts: number[] }>(),
  },
  /** A thread, by its name or by any message in it, oldest first. */
  THREAD: {
    params: z.object({ id: z.string().max(128), limit: limit(500, 50) }).strict(),
    result: result<{ thread: string; messages: HistoryMessage[]; more: boolean }>(),
  },
  SEARCH: {
    params: z
      .object({
        query: z.string().min(1).max(512),
        channel: name.optional(),
        from: name.optional(),
        since: z.int().nonnegative().optional(),
        until: z.int().nonnegative().optional(),
        limit: limit(100, 20),
      })
      .strict(),
    result: result<{ hits: SearchHit[] }>(),
  },
  /** The direct and group conversations of the requesting agent, latest first. */
  CONVERSATIONS: {
    params: z.object({ limit: limit(200, 20) }).strict(),
    result: result<{ conversations: ConversationInfo[] }>(),
  },
  REACT: {
    params: z.object({ message: messageId, emoji, remove: z.boolean().default(false) }).strict(),
    result: result<{ reactions: Reaction[] }>(),
  },
  READERS: {
    params: z.object({ message: messageId }).strict(),
    result: result<{ readers: Array<{ agent: string; at: number }>; unread: string[] }>(),
  },
  /** Erases the content of a message, for its sender and the owner. The redaction itself is recorded. */
  REDACT: {
    params: z.object({ message: messageId, reason: z.string().max(1024).optional() }).strict(),
    result: result<Nothing>(),
  },
  HELD_LIST: { params: z.object({}).strict(), result: result<{ held: HeldInfo[] }>() },
  /** Delivers held messages, or discards them. */
  HELD_RELEASE: {
    params: z
      .object({ ids: z.array(messageId).min(1).max(500), discard: z.boolean().default(false) })
      .strict(),
    result: result<{ released: number; discarded: number }>(),
  },
} as const;
