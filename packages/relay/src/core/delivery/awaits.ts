import { durationText, type Message, RelayError } from '@agent-relay/protocol';
import type { Clock } from '../ports/clock.ts';
import type { Agent } from '../ports/store/agents.ts';

export type AwaitOutcome = { reply: Message } | { error: RelayError };

/** A stored message whose sender waits for the recipient's answer. */
export interface OpenAwait {
  /** The id of the SEND that waits. */
  readonly id: string;
  readonly waiter: Agent;
  readonly target: Agent;
  readonly message: { id: string; seq: number; thread: string };
  /** Called once: with the answer, or with the reason there will be none. */
  settle(outcome: AwaitOutcome): void;
  /** Only a message in its thread, or a reply to it, answers it: called for any other direct message of the awaited agent. */
  readonly onBeside?: (() => void) | undefined;
}

/** The state of an agent while it waits for answers. */
interface Waiting {
  /** Oldest first, each with the function that stops its timer. */
  open: Map<OpenAwait, () => void>;
  /** The numbers of messages that were answers. The store remembers them longer (see `onAnswered`). */
  answers: Set<number>;
}

/**
 * The open awaits, and the rule by which a message answers one:
 *  - it is from the awaited agent to the waiting one, later than the question, and in its thread or a reply to it;
 *  - or it is a direct message outside any thread, the question was asked without a thread too, and it is the only one
 *    the waiter has open to that agent, and may be answered so.
 * A message answers at most one await, the oldest that fits.
 */
export class Awaits {
  readonly #clock: Clock;
  readonly #byWaiter = new Map<number, Waiting>();
  /** What answered each waiter's questions, until it is stored. */
  readonly #notes = new Map<number, Promise<void>>();
  /** Called with the message that answered an await, before the waiter gets it; resolves when it is stored. */
  onAnswered: (entry: OpenAwait, answer: Message) => Promise<void> = async () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Waits; the returned function cancels silently (the answer then goes to the inbox like any message).
   * The same question, asked again on a new connection, replaces the waiting one.
   */
  open(entry: OpenAwait, timeoutMs: number): () => void {
    const before = this.#openFrom(entry.waiter.id).find(({ id }) => id === entry.id);
    if (before) this.#close(before);
    const cycle = this.#cycleThrough(entry);
    if (cycle) {
      const ring = [...cycle, entry];
      for (const member of ring) this.#settle(member, { error: mutualAwait(member, ring) });
      return () => undefined;
    }
    const stopTimer = this.#clock.after(timeoutMs, () => {
      const text = `No answer from ${entry.target.name} to ${entry.message.id} within ${durationText(timeoutMs)}.`;
      const next = 'The message is stored; the answer will be in your inbox when it comes.';
      // Sending it again would ask twice.
      const facts = { retryable: false, details: { messageId: entry.message.id } };
      this.#settle(entry, { error: new RelayError('Timeout', text, { next, ...facts }) });
    });
    const waiting = this.#byWaiter.get(entry.waiter.id) ?? { open: new Map(), answers: new Set() };
    waiting.open.set(entry, stopTimer);
    this.#byWaiter.set(entry.waiter.id, waiting);
    return () => this.#close(entry);
  }

  /** Ends the await that `message`, just stored for `recipientId`, answers. */
  answer(message: Message, senderId: number, recipientId: number): void {
    const open = this.#openFrom(recipientId).filter(
      (entry) => entry.target.id === senderId && entry.message.seq < message.seq,
    );
    if (open.length === 0) return;
    const named = open.find(
      (entry) => entry.message.thread === message.thread || entry.message.id === message.replyTo,
    );
    if (named) {
      this.answerWith(named, message);
      return;
    }
    const direct =
      message.thread === undefined &&
      message.replyTo === undefined &&
      message.channel === undefined &&
      message.to !== '*';
    if (!direct) return;
    for (const entry of open) entry.onBeside?.();
    const only = open.length === 1 ? open[0] : undefined;
    if (only && !only.onBeside && hasOwnThread(only)) this.answerWith(only, message);
  }

  /** Ends an await, unless it has ended; false if the message is the answer to another one. */
  answerWith(entry: OpenAwait, message: Message): boolean {
    const waiting = this.#byWaiter.get(entry.waiter.id);
    if (!waiting?.open.has(entry)) return true;
    if (waiting.answers.has(message.seq)) return false;
    waiting.answers.add(message.seq);
    this.#note(entry, message);
    this.#settle(entry, { reply: message });
    return true;
  }

  /** Resolves when this waiter's answers so far are stored. */
  async noted(waiterId: number): Promise<void> {
    await this.#notes.get(waiterId);
  }

  /** How many answers an agent waits for, without that of the question `id`, which may be a retry. */
  countBesides(waiterId: number, id: string): number {
    return this.#openFrom(waiterId).filter((entry) => entry.id !== id).length;
  }

  #note(entry: OpenAwait, answer: Message): void {
    const { id } = entry.waiter;
    const note = Promise.all([this.#notes.get(id), this.onAnswered(entry, answer)]).then(() => {
      if (this.#notes.get(id) === note) this.#notes.delete(id);
    });
    this.#notes.set(id, note);
  }

  #openFrom(waiterId: number): OpenAwait[] {
    return [...(this.#byWaiter.get(waiterId)?.open.keys() ?? [])];
  }

  #close(entry: OpenAwait): void {
    const open = this.#byWaiter.get(entry.waiter.id)?.open;
    open?.get(entry)?.();
    open?.delete(entry);
    if (open?.size === 0) this.#byWaiter.delete(entry.waiter.id);
  }

  #settle(entry: OpenAwait, outcome: AwaitOutcome): void {
    this.#close(entry);
    entry.settle(outcome);
  }

  /** The open awaits that lead from the new one's target back to its waiter: a cycle of waiting agents. */
  #cycleThrough(entry: OpenAwait): OpenAwait[] | undefined {
    const visited = new Set<number>();
    const search = (agentId: number, path: OpenAwait[]): OpenAwait[] | undefined => {
      if (agentId === entry.waiter.id) return path;
      if (visited.has(agentId)) return undefined;
      visited.add(agentId);
      for (const next of this.#openFrom(agentId)) {
        const found = search(next.target.id, [...path, next]);
        if (found) return found;
      }
      return undefined;
    };
    return search(entry.target.id, []);
  }
}

/** A question without a thread gets its own id as thread. */
const hasOwnThread = ({ message }: OpenAwait): boolean => message.thread === message.id;

/** The error for one member of a cycle, with the question that waits for it. */
function mutualAwait(member: OpenAwait, ring: OpenAwait[]): RelayError {
  const towards = ring.find((other) => other.target.id === member.waiter.id && other !== member);
  if (!towards) return new RelayError('MutualAwait', 'An agent cannot wait for its own answer.');
  const { message, waiter } = towards;
  return new RelayError(
    'MutualAwait',
    `${waiter.name} is waiting for your answer to ${message.id}, while you wait for ${member.target.name}.`,
    { next: `Answer ${waiter.name} first, in thread ${message.thread}. Your message is stored.` },
  );
}
