import { REASONS, type Reason } from '@agent-relay/protocol';
import type { Clock } from '../ports/clock.ts';

/** A question counts after this time: while a CLI starts, screens come and go. */
const ASKED_MS = 2000;

/** One SPAWN that waits for its agent: until `end`, until the time is over, or until the agent waits for a person. */
export class SpawnWait {
  readonly over: Promise<void>;
  readonly end: () => void;
  readonly #clock: Clock;
  #question: { text: string; forget: () => void } | undefined;

  constructor(clock: Clock, waitMs: number) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#clock = clock;
    const stop = clock.after(waitMs, resolve);
    this.end = resolve;
    this.over = promise.then(() => {
      stop();
      this.#question?.forget();
    });
  }

  /** The agent waits for this, or for nothing. */
  noteReason(reason: Reason | undefined): void {
    const text = reason && isForPerson(reason) ? reason.text : undefined;
    if (text === this.#question?.text) return;
    this.#question?.forget();
    this.#question = text === undefined ? undefined : { text, forget: this.#clock.after(ASKED_MS, this.end) };
  }
}

/** Whether only a person can change it. An agent that is starting may ask something first: the reason then says what. */
const isForPerson = ({ code, text }: Reason): boolean =>
  code === 'approval_dialog' || code === 'signed_out' || (code === 'starting' && text !== REASONS.starting);
