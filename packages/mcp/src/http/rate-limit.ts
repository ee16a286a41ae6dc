import { RelayError } from '@agent-relay/protocol';

/** Beyond so many callers the oldest are forgotten: they were quiet for longest. */
const MAX_CALLERS = 10_000;

/** A bucket of requests for each caller, which fills again steadily. */
export class RateLimit {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, { left: number; at: number }>();

  constructor(perMinute: number, now: () => number = Date.now) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Takes one request from the caller's bucket, or says when there will be one. */
  take(caller: string): void {
    const now = this.#now();
    const before = this.#buckets.get(caller);
    const refilled = before ? before.left + ((now - before.at) * this.#perMinute) / 60_000 : this.#perMinute;
    const left = Math.min(this.#perMinute, refilled) - 1;
    // Set anew, so that the map stays ordered by last use.
    this.#buckets.delete(caller);
    this.#buckets.set(caller, { left: Math.max(left, 0), at: now });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MAX_CALLERS && oldest !== undefined) this.#buckets.delete(oldest);
    if (left >= 0) return;
    const retryAfterMs = Math.ceil((-left * 60_000) / this.#perMinute);
    throw new RelayError('Overloaded', `More than ${this.#perMinute} requests a minute.`, {
      next: `Wait ${retryAfterMs} ms.`,
      details: { retryAfterMs },
    });
  }
}
