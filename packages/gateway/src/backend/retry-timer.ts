/**
 * Schedules the next attempt to connect, at the same interval for ever. An attempt that is already scheduled stays
 * where it is, however many others fail in the meantime: calls also connect, and must never delay the schedule.
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
    // Up to a tenth earlier, so that many gateways do not all reconnect at the same moment after an outage.
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
