import { TokenBuckets } from '@agent-relay/platform/limits';
import { RelayError } from '@agent-relay/protocol';
import type { Clock } from '../ports/clock.ts';
import type { Account } from './accounts.ts';

export interface RateLimit {
  /** Messages an agent may send per second, on average; 0 means no limit. */
  perSecond: number;
  /** Messages it may send at once after a pause. */
  burst: number;
}

/** An agent by its id, or an account without one. */
type Sender = number | Account;

/** Limits how often each sender sends. */
export class SendRates {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #buckets: TokenBuckets<Sender>;

  constructor(clock: Clock, { perSecond, burst }: RateLimit) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#buckets = new TokenBuckets({ amount: perSecond, periodMs: 1000, burst });
  }

  /** Counts a message, or throws with the time to wait. */
  take(sender: Sender): RelayError | undefined {
    if (this.#perSecond === 0) return undefined;
    const retryAfterMs = this.#buckets.take(sender, this.#clock.elapsed());
    if (retryAfterMs === 0) return undefined;
    return new RelayError(
      'RateLimited',
      `More than ${this.#perSecond} messages a second; nothing was stored.`,
      { next: `Try again in ${retryAfterMs} ms.`, details: { retryAfterMs } },
    );
  }

  forget(agentId: number): void {
    this.#buckets.forget(agentId);
  }
}
