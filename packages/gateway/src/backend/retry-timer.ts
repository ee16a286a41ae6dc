/**
 * Schedules attempts to connect at a fixed interval, forever. A scheduled attempt is never postponed: calls connect too,
 * and their failures must not delay it.
 */
export class RetryTimer {
  readonly #intervalMs: number;
  readonly #attempt: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(intervalMs: number, attempt: () => void) {
    this.#intervalMs = intervalMs;
    this.#attempt = attempt;
  }

  schedule(): void {
    if (this.#timer) return;
    // Up to 10% early, so that many gateways do not reconnect at the same moment after an outage.
    const wait = this.#intervalMs * (1 - Math.random() / 10);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#attempt();
    }, wait);
    this.#timer.unref();
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
