import type {
  CallProgress,
  ClaimingPath,
  HelloPayload,
  HookReasons,
  InboxMessage,
  Message,
  MessageKind,
  OperationInput,
  RelayError,
  RelayEvent,
  SendPayload,
  SendResult,
  WelcomePayload,
} from '@agent-relay/protocol';
import type { ReconnectOptions } from './connection/backoff.ts';

/** The agent's profile in HELLO. */
export const PROFILE_FIELDS = [
  'name',
  'handle',
  'workspaceKey',
  'page',
  'claim',
  'session',
  'type',
  'unverified',
  'ephemeral',
  'lead',
  'cli',
  'task',
  'parent',
  'capabilities',
  'tools',
  'mcpEnabled',
  'client',
] as const satisfies Array<keyof HelloPayload>;

/** Identity and behavior of the client; how to reach the daemon is separate. */
export interface ParticipantOptions extends Pick<HelloPayload, (typeof PROFILE_FIELDS)[number]> {
  /**
   * The agent token, or how to get it. A function is called until the first connection; if the daemon says that the name
   * has another token, it is called with that token's id.
   */
  token?: string | ((wanted?: string) => Promise<string | undefined>);
  /** Channels to join, created if they do not exist; joined again after a reconnect. */
  channels?: string[];
  /** Emit `mail.arrived` for this agent's messages. This does not deliver them: they stay unread. */
  notify?: boolean;
  /** For programs that put messages into another program's context: their paths. See `relay.paths`. */
  paths?: ClaimingPath[];
  /** For programs beside an agent's CLI with hooks of the relay: why messages wait while no hook runs. */
  hooks?: HookReasons;
  /** Identifies this process across its connections, so that it keeps its claims. Default: a new id. */
  receiver?: string;
  /** Timeout for a request, and for connecting. Default: 30 seconds. */
  requestTimeoutMs?: number;
  /** Default: yes, forever, after the first connection. */
  reconnect?: boolean | ReconnectOptions;
}

/** Options of a message. */
export interface SendOptions extends Omit<SendPayload, 'to' | 'content' | 'await'> {
  /** Identifies the message for retries: the same id with the same content is the same message. Default: a new id. */
  id?: string;
}

/** The same for a reply: its recipient and thread come from the message it answers. */
export type ReplyOptions = Omit<SendOptions, 'replyTo' | 'thread'>;

export interface SendAndWaitOptions extends SendOptions {
  /** How long to wait for the answer. Default: 30 seconds. */
  timeoutMs?: number;
  /** Ends the wait; the message stays sent. */
  signal?: AbortSignal;
  /** Called when the message is stored, before the answer arrives. */
  onStored?: (result: SendResult) => void;
}

export interface CallOptions {
  /** How long the call may take. Default: 30 seconds, or 5 minutes where a person has to allow it. */
  timeoutMs?: number;
  /** Cancels the call; the callee is notified. An action continues. */
  signal?: AbortSignal;
  onProgress?: (progress: CallProgress) => void;
}

export interface InvokeOptions extends CallOptions {
  /** Resolve when it has ended. Default: as soon as it has started. */
  wait?: boolean;
  /** Identifies the invocation for retries: the same id is the same invocation, performed once. Default: a new one. */
  id?: string;
}

export interface InboxOptions {
  /** Default: 10. */
  limit?: number;
  /** Default: true. */
  unreadOnly?: boolean;
  /** Only messages of this sender. */
  from?: string;
  /** Only messages of this channel. */
  channel?: string;
  thread?: string;
  kind?: MessageKind;
  /** Only messages that mention this agent. */
  mentions?: boolean;
  /** Mark the messages returned as read. Default: true. */
  markRead?: boolean;
  /** The agent is about to see them: do not deliver them by another path. Default: as `markRead`. */
  take?: boolean;
  /** Only messages after this sequence number. */
  after?: number;
}

export interface Inbox {
  messages: InboxMessage[];
  /** How many unread messages are left. */
  unread: number;
}

/** Which messages of the history; `before` and `after` are sequence numbers, `since` is a time. Default limit: 50. */
export type HistoryOptions = OperationInput<'HISTORY'>;

/** Where and when to search; `since` and `until` are times. Default limit: 20. */
export type SearchOptions = Omit<OperationInput<'SEARCH'>, 'query'>;

export interface WhoOptions {
  /** Default: true. */
  includeIdle?: boolean;
  /** Default: false. */
  includeOffline?: boolean;
  /** Default: the client's own project. */
  project?: string;
  /** Only this one, by its name or handle. */
  agent?: string;
}

/**
 * What happens in the project, after `watch()`; `message.created` is emitted while `tail()` runs. An agent gets the
 * delivery events of messages it sent. After `events.missed`, some events are missing: query again what matters.
 */
type Happenings = { [Event in RelayEvent as Event['type']]: [event: Event] };

/** Tools or actions that are no longer offered, because the daemon refused them after a reconnect. */
export interface RefusedTools {
  names: string[];
  error: RelayError;
}

/** The events of a client and their arguments. */
export interface RelayEvents extends Happenings {
  /** A message for this agent; it is accepted when the listeners were called. */
  message: [message: Message];
  /** A connection is up, except the first one, with which `connect` resolves. */
  connected: [welcome: WelcomePayload];
  disconnected: [error: RelayError];
  /** After a reconnect the daemon refused tools or actions that it had accepted; they are no longer offered. */
  'tools.refused': [refused: RefusedTools];
  /** The next attempt follows after the delay. */
  reconnecting: [retry: { attempt: number; delayMs: number }];
  /** The client is closed, with the error unless `close()` was called. */
  closed: [error?: RelayError];
}
