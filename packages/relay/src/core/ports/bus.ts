import type {
  CallEnd,
  CallProgress,
  ConsentOutcome,
  ErrorPayload,
  Message,
  RelayEvent,
  ServedCallPayload,
} from '@agent-relay/protocol';
import type { Invocation } from './store/invocations.ts';

/** A newly stored message. */
export interface NewMessage {
  message: Message;
  senderId: number;
  recipients: number[];
  workspaceId: number;
}

/** Which watching connections get an event. */
export type Audience =
  | { kind: 'workspace'; workspaceId: number }
  | { kind: 'owner'; workspaceId: number }
  | { kind: 'agent'; agentId: number };

/** Which connections to close. */
export type EndedConnections =
  | { kind: 'agent'; agentId: number }
  | { kind: 'keys'; workspaceId: number; keyIds: string[] }
  /** Pages of the dashboard, whatever project they show. */
  | { kind: 'pages'; pageSessionIds: string[] }
  /** `agents`: all of agents and of keys; the owner's own stay. */
  | { kind: 'workspace'; workspaceId: number; who: 'agents' | 'everybody' };

/** How a call ended, reported by the callee's daemon. */
export type CallOutcome = { result: unknown } | { error: ErrorPayload };

/** What the callee's daemon needs to know about a caller that the callee acts for. */
export interface CallOrigin {
  agentId: number | undefined;
  keyId: string | undefined;
  unverified: boolean;
  /** At the caller's daemon. */
  local: boolean;
  owner: boolean;
}

/** What the daemons of a caller and a callee tell each other. If a piece gets lost, the call ends with its time. */
export type CallNews =
  | { step: 'asked'; server: string; call: ServedCallPayload; origin: CallOrigin }
  | { step: 'cancelled'; server: string; callId: string; reason: CallEnd }
  | { step: 'progress'; callId: string; progress: CallProgress }
  | { step: 'answered'; callId: string; outcome: CallOutcome }
  /** A person decided about a call, or it ended after that. `question`: the message that asked for consent. */
  | { step: 'decided'; question: string; outcome: ConsentOutcome }
  /** A connection stopped serving; it answers no later calls. */
  | { step: 'gone'; server: string };

/** What happened at one daemon that others may need to act on. Plain data: it crosses processes. */
export type News =
  /** A message was stored; connected recipients get it. */
  | { kind: 'stored'; stored: NewMessage }
  /** Deliveries were written to the store directly, the first of each recipient at `from`. */
  | { kind: 'inserted'; workspaceId: number; delivered: Array<{ recipientId: number; from: number }> }
  /** A workspace was created, renamed or removed. */
  | { kind: 'workspaces' }
  | { kind: 'event'; audience: Audience; event: RelayEvent }
  | { kind: 'ended'; connections: EndedConnections }
  | { kind: 'call'; call: CallNews }
  /** An action that was invoked has ended. */
  | { kind: 'invocation'; invocation: Invocation };

/** `isOwn`: published by this daemon. */
export type NewsListener = (news: News, isOwn: boolean) => void;

/**
 * Carries news to every daemon that shares the store.
 *
 * - Every subscriber gets everything, including what its own daemon published.
 * - What one daemon published arrives in order.
 * - A daemon's own news arrives before `publish` returns: local clients get a message before its sender is answered.
 * - News of another daemon may get lost, but is never duplicated. What must last is in the store.
 * - `publish` does not block and does not fail.
 */
export interface Bus {
  publish(news: News): void;
  /** Returns how to stop. */
  subscribe(listener: NewsListener): () => void;
}
