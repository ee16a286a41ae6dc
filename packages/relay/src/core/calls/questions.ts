import { type Message, RelayError } from '@agent-relay/protocol';
import type { AwaitOutcome, Awaits } from '../delivery/awaits.ts';
import type { Deliveries } from '../delivery/deliveries.ts';
import type { Quotas } from '../governance/quotas.ts';
import type { Agent } from '../ports/store/agents.ts';
import { type Principal, requireAgent } from '../principal.ts';
import type { Messages } from '../sending/messages.ts';

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
}

/** Asks agents and people with messages, like SEND with `await`, and marks the answer as read. */
export class Questions {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async ask({ principal, id, to, content, timeoutMs, expiresAt, stored, settle }: Question): Promise<void> {
    const { messages, awaits, quotas } = this.#parts;
    const waiter = requireAgent(principal);
    const counted = quotas.asking(waiter.id, awaits.countBesides(waiter.id, id));
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
      stored(awaits.open({ id, waiter, target: to, message, settle: settled }, timeoutMs), message.id);
    } finally {
      counted();
    }
  }

  /** Says in the thread of a question that it needs no answer any more, and why. */
  close(principal: Principal, messageId: string, content: string): void {
    const { messages, background } = this.#parts;
    const note = { content, replyTo: messageId, kind: 'status', importance: 'normal' } as const;
    background(messages.send(principal, `${messageId}-closed`, note).then(() => undefined));
  }

  #markRead(waiter: Agent, { id }: Message): void {
    const { deliveries, background } = this.#parts;
    background(deliveries.report(waiter, [id], 'read', undefined).then(() => undefined));
  }
}
