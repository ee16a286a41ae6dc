import { RelayError } from '@agent-relay/protocol';

/** Beyond so many callers the oldest are forgotten: they were quiet for longest. */
const MAX_CALLERS = 10_000;

/** A bucket of requests for each caller, which fills again steadily. */
export class RateLimit {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, { left: number; at: number }>();

  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Takes one request from the caller's bucket, or says when there will be one. */
  take(caller: string): void {
    const left = this.#left(caller) - 1;
    // Set anew, so that the map stays ordered by last use.
    this.#buckets.delete(caller);
    this.#buckets.set(caller, { left: Math.max(left, 0), at: this.#now() });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MAX_CALLERS && oldest !== undefined) this.#buckets.delete(oldest);
    if (left < 0) throw this.#overloaded(left);
  }

  /** Throws as `take` would, and takes nothing. */
  check(caller: string): void {
    const left = this.#left(caller) - 1;
    if (left < 0) throw this.#overloaded(left);
  }

  #left(caller: string): number {
    const before = this.#buckets.get(caller);
    if (!before) return this.#perMinute;
    const refilled = ((this.#now() - before.at) * this.#perMinute) / 60_000;
    return Math.min(this.#perMinute, before.left + refilled);
  }

  #overloaded(left: number): RelayError {
    const retryAfterMs = Math.ceil((-left * 60_000) / this.#perMinute);
    return new RelayError('Overloaded', `More than ${this.#perMinute} requests a minute.`, {
      next: `Wait ${retryAfterMs} ms.`,
      details: { retryAfterMs },
    });
  }
}
