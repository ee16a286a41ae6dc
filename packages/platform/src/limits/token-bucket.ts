/** `amount` tokens are refilled per `periodMs`, steadily; a bucket holds `burst` of them and starts full. */
export interface Rate {
  amount: number;
  periodMs: number;
  burst: number;
}

/** Counts as a whole token, because sums of fractions are slightly off. */
const WHOLE = 1 - 1e-6;

/** Limits how often something happens. The caller passes the time, in milliseconds of a monotonic clock. */
export class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #measuredAt: number;

  constructor(rate: Rate, now: number) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#measuredAt = now;
  }

  /** Takes a token and returns 0, or returns the milliseconds until the next one. */
  take(now: number): number {
    const waitMs = this.waitMs(now);
    if (waitMs === 0) this.#tokens -= 1;
    return waitMs;
  }

  /** Milliseconds until the next token; 0 if there is one now. */
  waitMs(now: number): number {
    const { amount, periodMs, burst } = this.#rate;
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#measuredAt) * amount) / periodMs);
    this.#measuredAt = now;
    return this.#tokens >= WHOLE ? 0 : Math.ceil(((1 - this.#tokens) * periodMs) / amount);
  }
}
