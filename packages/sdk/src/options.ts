import type {
  HelloPayload,
  InboxMessage,
  Message,
  RelayError,
  SendPayload,
  SendResult,
  WelcomePayload,
} from '@agent-relay/protocol';
import type { ReconnectOptions } from './backoff.ts';

/** What an agent tells about itself in HELLO. */
export const PROFILE_FIELDS = [
  'name',
  'workspaceKey',
  'type',
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
  /** The agent token, or how to get it; a function is asked for each connection. */
  token?: string | (() => Promise<string>);
  /** Have this agent's messages pushed here. Default: yes, if there is a name. */
  deliver?: boolean;
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

export interface SendAndWaitOptions extends SendOptions {
  /** How long to wait for the answer. Default: 30 seconds. */
  timeoutMs?: number;
  /** Ends the waiting; the message stays sent. */
  signal?: AbortSignal;
  /** Called when the message is stored, before the answer is there. */
  onStored?: (result: SendResult) => void;
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
  /** Mark the messages returned as read. Default: true. */
  markRead?: boolean;
  /** Only messages after this sequence number. */
  after?: number;
}

export interface Inbox {
  messages: InboxMessage[];
  /** How many unread messages are left. */
  unread: number;
}

export interface WhoOptions {
  /** Default: true. */
  includeIdle?: boolean;
  /** Default: false. */
  includeOffline?: boolean;
  /** Another project than one's own. */
  project?: string;
}

/** The events of a client and what their listeners get. */
export interface RelayEvents {
  /** A message for this agent; with a listener, each one counts as handed over when the listeners were called. */
  message: [message: Message];
  /** After `watch()`. */
  'agent.online': [agent: string];
  /** After `watch()`. */
  'agent.offline': [agent: string];
  /** After `watch()`: single events may have been missed, ask `who()` again. */
  'agents.changed': [];
  /** A connection is up, the first one excepted: `connect` resolves with that one. */
  connected: [welcome: WelcomePayload];
  disconnected: [error: RelayError];
  /** A new attempt will be made after the delay. */
  reconnecting: [retry: { attempt: number; delayMs: number }];
  /** The end, with the error unless `close()` was called. */
  closed: [error?: RelayError];
}
