import { TokenBuckets } from '@agent-relay/platform/limits';
import { RelayError } from '@agent-relay/protocol';

const MINUTE_MS = 60_000;
/** Beyond so many callers the oldest are forgotten: they were quiet for longest. */
const MAX_CALLERS = 10_000;

/** A bucket of requests for each caller, which fills again steadily. */
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

  /** Takes one request from the caller's bucket, or says when there will be one. */
  take(caller: string): void {
    this.#refuseUntil(this.#buckets.take(caller, this.#now()));
  }

  /** Throws as `take` would, and takes nothing. */
  check(caller: string): void {
    this.#refuseUntil(this.#buckets.waitMs(caller, this.#now()));
  }

  #refuseUntil(retryAfterMs: number): void {
    if (retryAfterMs === 0) return;
    throw new RelayError('Overloaded', `More than ${this.#perMinute} requests a minute.`, {
      next: `Wait ${retryAfterMs} ms.`,
      details: { retryAfterMs },
    });
  }
}
