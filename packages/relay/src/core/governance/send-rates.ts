import { RelayError } from '@agent-relay/protocol';
import type { Clock } from '../ports/clock.ts';

export interface RateLimit {
  /** Messages an agent may send per second, in the long run; 0 means as many as it likes. */
  perSecond: number;
  /** Messages it may send at once after a pause. */
  burst: number;
}

/** A bucket of tokens for each sender: full after a pause, one taken per message, refilled at the rate. */
export class SendRates {
  readonly #clock: Clock;
  readonly #limit: RateLimit;
  readonly #buckets = new Map<number, { tokens: number; at: number }>();

  constructor(clock: Clock, limit: RateLimit) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Takes a token, or says when there will be one. */
  take(agentId: number): RelayError | undefined {
    const { perSecond, burst } = this.#limit;
    if (perSecond === 0) return undefined;
    const now = this.#clock.elapsed();
    const bucket = this.#buckets.get(agentId) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond);
    if (tokens < 1) {
      const retryAfterMs = Math.ceil(((1 - tokens) / perSecond) * 1000);
      return new RelayError('RateLimited', `More than ${perSecond} messages a second; nothing was stored.`, {
        next: `Try again in ${retryAfterMs} ms.`,
        details: { retryAfterMs },
      });
    }
    bucket.tokens = tokens - 1;
    bucket.at = now;
    this.#buckets.set(agentId, bucket);
    return undefined;
  }

  forget(agentId: number): void {
    this.#buckets.delete(agentId);
  }
}
