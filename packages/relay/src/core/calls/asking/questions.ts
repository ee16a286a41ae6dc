import { type Message, type MessageKind, RelayError } from '@agent-relay/protocol';
import type { AwaitOutcome, Awaits } from '../../delivery/awaits.ts';
import type { Deliveries } from '../../delivery/deliveries.ts';
import type { Quotas } from '../../governance/quotas.ts';
import type { Agent } from '../../ports/store/agents.ts';
import { type Principal, requireAgent } from '../../principal.ts';
import type { Messages } from '../../sending/messages.ts';

interface Parts {
  messages: Messages;
  awaits: Awaits;
  deliveries: Deliveries;
  quotas: Quotas;
  /** Runs background work. */
  background: (work: Promise<void>) => void;
}

/** A message of a call, whose answer the call waits for. */
export interface Question {
  /** The sender. */
  principal: Principal;
  /** Unique; the id of the message for its sender. */
  id: string;
  to: Agent;
  content: string;
  timeoutMs: number;
  /** After this time it is no longer delivered. */
  expiresAt?: number;
  /** Called when the question is stored, with its id and how to stop waiting for its answer. */
  stored(stop: () => void, messageId: string): void;
  /** Called once with the answer, or the reason why there is none. */
  settle(outcome: AwaitOutcome): void;
  /** If set, only a reply to the question answers it; called for any other message to its sender. */
  onBeside?: () => void;
}

/** Asks agents and people with messages, like SEND with `await`, and marks the answer as read. */
export class Questions {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async ask(question: Question): Promise<void> {
    const { principal, id, to, content, timeoutMs, expiresAt, stored, settle, onBeside } = question;
    const { messages, awaits } = this.#parts;
    const waiter = requireAgent(principal);
    const counted = this.#count(waiter, id);
    try {
      const { result } = await messages.send(principal, id, {
        to: to.name,
        content,
        kind: 'question',
        importance: 'normal',
        ...(expiresAt === undefined ? {} : { expiresAt }),
        await: { timeoutMs },
      });
      if (result.held !== undefined)
        throw new RelayError('MessageHeld', `The question is held: ${result.held}.`);
      const message = { id: result.messageId, seq: result.seq, thread: result.thread ?? result.messageId };
      const settled = (outcome: AwaitOutcome) => {
        if ('reply' in outcome) this.#markRead(waiter, outcome.reply);
        settle(outcome);
      };
      const entry = { id, waiter, target: to, message, settle: settled, onBeside };
      stored(awaits.open(entry, timeoutMs), message.id);
    } finally {
      counted();
    }
  }

  /** Posts in the thread of a question that it needs no answer any more, and why. */
  close(principal: Principal, messageId: string, content: string): void {
    this.#note(principal, messageId, { word: 'closed', kind: 'status', content });
  }

  /** Posts in the thread of a question how to answer it, once. */
  hint(principal: Principal, messageId: string, content: string): void {
    this.#note(principal, messageId, { word: 'hint', kind: 'free', content });
  }

  #note(
    principal: Principal,
    messageId: string,
    { word, kind, content }: { word: NoteWord; kind: MessageKind; content: string },
  ): void {
    const { messages, background } = this.#parts;
    const note = { content, replyTo: messageId, kind, importance: 'normal' } as const;
    background(messages.send(principal, noteId(messageId, word), note).then(() => undefined));
  }

  /** What the relay asks for a call counts for the caller (`Calls`), not for the relay. */
  #count({ id, type }: Agent, questionId: string): () => void {
    const { awaits, quotas } = this.#parts;
    if (type === 'system') return () => undefined;
    return quotas.asking(id, awaits.countBesides(id, questionId));
  }

  #markRead(waiter: Agent, { id }: Message): void {
    const { deliveries, background } = this.#parts;
    background(deliveries.report(waiter, [id], 'read', undefined).then(() => undefined));
  }
}

type NoteWord = 'closed' | 'hint';

/** The id of a note for its sender: each is posted once. */
export const noteId = (messageId: string, word: NoteWord): string => `${messageId}-${word}`;
