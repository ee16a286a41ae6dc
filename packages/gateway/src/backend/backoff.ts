/** Tries again after a failure: later with each one, and a little spread out. */
export class Backoff {
  readonly #firstMs: number;
  readonly #longestMs: number;
  readonly #attempt: () => void;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(firstMs: number, longestMs: number, attempt: () => void) {
    this.#firstMs = firstMs;
    this.#longestMs = longestMs;
    this.#attempt = attempt;
  }

  failed(): void {
    const base = Math.min(this.#firstMs * 2 ** this.#failures++, this.#longestMs);
    // Jitter keeps many gateways from knocking at the same moment after an outage.
    const wait = base * (1 + Math.random() / 4);
    this.stop();
    this.#timer = setTimeout(this.#attempt, wait);
    this.#timer.unref();
  }

  /** The next failure is the first one again. */
  reset(): void {
    this.#failures = 0;
  }

  /** No attempt is made until the next failure. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}
