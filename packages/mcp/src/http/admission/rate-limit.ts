import { TokenBuckets } from '@agent-relay/platform/limits';
import { RelayError } from '@agent-relay/protocol';

const MINUTE_MS = 60_000;
/** Beyond this many callers, the least recently active ones are dropped. */
const MAX_CALLERS = 10_000;

/** A token bucket for each caller. */
export class RateLimit {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #buckets: TokenBuckets<string>;

  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.#perMinute = perMinute;
    this.#now = now;
    const rate = { amount: perMinute, periodMs: MINUTE_MS, burst: perMinute };
    this.#buckets = new TokenBuckets(rate, MAX_CALLERS);
  }

  /** Counts a request of the caller, or throws with the time to wait. */
  take(caller: string): void {
    const retryAfterMs = this.#buckets.take(caller, this.#now());
    if (retryAfterMs === 0) return;
    throw new RelayError('Overloaded', `More than ${this.#perMinute} requests a minute.`, {
      next: `Wait ${retryAfterMs} ms.`,
      details: { retryAfterMs },
    });
  }
}
