import type {
  CallProgress,
  ClaimingPath,
  HelloPayload,
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

/** What an agent tells about itself in HELLO. */
export const PROFILE_FIELDS = [
  'name',
  'handle',
  'workspaceKey',
  'page',
  'claim',
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

/** Who connects, and how the client behaves; how to reach the daemon is said beside it. */
export interface ParticipantOptions extends Pick<HelloPayload, (typeof PROFILE_FIELDS)[number]> {
  /**
   * The agent token, or how to get it. A function is asked until there was a connection; if the daemon says that the name
   * has another token, it is asked for that one by its id.
   */
  token?: string | ((wanted?: string) => Promise<string | undefined>);
  /** Channels to be in, made if they are not there; also said again after a reconnect. */
  channels?: string[];
  /** Tell of this agent's mail with the event `mail.arrived`. That delivers nothing: the messages stay unread. */
  notify?: boolean;
  /** For programs that put messages into another program's context: by which paths. See `relay.paths`. */
  paths?: ClaimingPath[];
  /** Names this process to the daemon, on each of its connections: what it claimed before is its own. Default: a new one. */
  receiver?: string;
  /** How long a request, or making a connection, may take. Default: 30 seconds. */
  requestTimeoutMs?: number;
  /** Default: yes, for ever, once the first connection was made. */
  reconnect?: boolean | ReconnectOptions;
}

/** What a message may carry beside its content. */
export interface SendOptions extends Omit<SendPayload, 'to' | 'content' | 'await'> {
  /** Names the message for retries: the same id with the same content is the same message. Default: a new one. */
  id?: string;
}

/** The same for an answer: whom it goes to, and its thread, follow from the message it answers. */
export type ReplyOptions = Omit<SendOptions, 'replyTo' | 'thread'>;

export interface SendAndWaitOptions extends SendOptions {
  /** How long to wait for the answer. Default: 30 seconds. */
  timeoutMs?: number;
  /** Ends the waiting; the message stays sent. */
  signal?: AbortSignal;
  /** Called when the message is stored, before the answer is there. */
  onStored?: (result: SendResult) => void;
}

export interface CallOptions {
  /** How long the call may take. Default: 30 seconds. */
  timeoutMs?: number;
  /** Ends the call; the callee is told. */
  signal?: AbortSignal;
  onProgress?: (progress: CallProgress) => void;
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
  /** The agent is about to see them: keep them from being delivered by another path. Default: as `markRead`. */
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
  /** Another project than one's own. */
  project?: string;
}

/**
 * What happens in the project, after `watch()`; `message.created` comes while `tail()` runs. Of messages, an agent hears
 * what became of those it sent or got. After `events.missed`, single events are lost: ask again for what matters.
 */
type Happenings = { [Event in RelayEvent as Event['type']]: [event: Event] };

/** The events of a client and what their listeners get. */
export interface RelayEvents extends Happenings {
  /** A message for this agent; with a listener, each one counts as handed over when the listeners were called. */
  message: [message: Message];
  /** A connection is up, the first one excepted: `connect` resolves with that one. */
  connected: [welcome: WelcomePayload];
  disconnected: [error: RelayError];
  /** A new attempt will be made after the delay. */
  reconnecting: [retry: { attempt: number; delayMs: number }];
  /** The end, with the error unless `close()` was called. */
  closed: [error?: RelayError];
}
