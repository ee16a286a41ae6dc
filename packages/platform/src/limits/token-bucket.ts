/** `amount` tokens come back in `periodMs`, steadily; a bucket holds `burst` of them, and is full at first. */
export interface Rate {
  amount: number;
  periodMs: number;
  burst: number;
}

/** As good as a whole token: sums of fractions miss it by a little. */
const WHOLE = 1 - 1e-6;

/** Limits how often something happens. The caller brings the time, in milliseconds of a clock that is never set back. */
export class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #measuredAt: number;

  constructor(rate: Rate, now: number) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#measuredAt = now;
  }

  /** Takes a token and returns 0; or takes nothing and returns in how many milliseconds there will be one. */
  take(now: number): number {
    const waitMs = this.waitMs(now);
    if (waitMs === 0) this.#tokens -= 1;
    return waitMs;
  }

  /** In how many milliseconds there is a token to take; 0 if there is one now. */
  waitMs(now: number): number {
    const { amount, periodMs, burst } = this.#rate;
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#measuredAt) * amount) / periodMs);
    this.#measuredAt = now;
    return this.#tokens >= WHOLE ? 0 : Math.ceil(((1 - this.#tokens) * periodMs) / amount);
  }
}
