import type {
  CallEnd,
  CallProgress,
  ErrorPayload,
  Message,
  RelayEvent,
  ServedCallPayload,
} from '@agent-relay/protocol';

/** A message that was stored just now. */
export interface NewMessage {
  message: Message;
  senderId: number;
  recipients: number[];
  workspaceId: number;
}

/** Who hears an event: on which connections, of those that watch. */
export type Audience =
  | { kind: 'workspace'; workspaceId: number }
  | { kind: 'owner'; workspaceId: number }
  | { kind: 'agent'; agentId: number };

/** Whose connections end. */
export type EndedConnections =
  | { kind: 'agent'; agentId: number }
  | { kind: 'keys'; workspaceId: number; keyIds: string[] }
  /** Pages of the dashboard, whatever project they show. */
  | { kind: 'pages'; pageSessionIds: string[] }
  /** `agents`: all that are agents or came with a key; the owner's own stay. */
  | { kind: 'workspace'; workspaceId: number; who: 'agents' | 'everybody' };

/** How a call ended, as the callee's daemon tells it. */
export type CallOutcome = { result: unknown } | { error: ErrorPayload };

/** What the daemons of a caller and a callee tell each other. If a piece gets lost, the call ends with its time. */
export type CallNews =
  | { step: 'asked'; server: string; call: ServedCallPayload }
  | { step: 'cancelled'; server: string; callId: string; reason: CallEnd }
  | { step: 'progress'; callId: string; progress: CallProgress }
  | { step: 'answered'; callId: string; outcome: CallOutcome };

/** What happened at one daemon that others may have to act on. Plain data: it crosses processes. */
export type News =
  /** A message was stored, and is told to those who are connected. */
  | { kind: 'stored'; stored: NewMessage }
  /** Deliveries were put into the store beside the domain, the first of each recipient at `from`. */
  | { kind: 'inserted'; workspaceId: number; delivered: Array<{ recipientId: number; from: number }> }
  | { kind: 'event'; audience: Audience; event: RelayEvent }
  | { kind: 'ended'; connections: EndedConnections }
  | { kind: 'call'; call: CallNews };

/** `isOwn`: it comes from the daemon of whoever listens. */
export type NewsListener = (news: News, isOwn: boolean) => void;

/**
 * Carries news to every daemon that shares the store.
 *
 * - Every subscriber hears every piece of news, that of its own daemon too.
 * - News of one daemon is heard in the order it was published.
 * - The own news is heard before `publish` returns: a message is on its way to local clients when its sender is answered.
 * - News of another daemon may get lost, and is never doubled. What must last is in the store.
 * - `publish` returns at once and does not fail.
 */
export interface Bus {
  publish(news: News): void;
  /** Returns how to stop. */
  subscribe(listener: NewsListener): () => void;
}
