/**
 * Lets the first lists wait for backends as long as these keep arriving. A backend that hangs delays them by one pause
 * at most, and only once.
 */
export class Arrivals {
  #expected = 0;
  #latest = 0;
  #next = Promise.withResolvers<void>();

  /** Expects one more. It has arrived when it settles, either way. */
  expect(arrival: Promise<unknown>): void {
    this.#expected++;
    this.#latest = performance.now();
    const arrived = () => {
      this.#expected--;
      this.#latest = performance.now();
      this.#next.resolve();
      this.#next = Promise.withResolvers<void>();
    };
    arrival.then(arrived, arrived);
  }

  /** Resolves when all have arrived, or when none has for `pauseMs`. */
  async over(pauseMs: number): Promise<void> {
    while (this.#expected > 0) {
      const left = this.#latest + pauseMs - performance.now();
      if (left <= 0) return;
      let timer: NodeJS.Timeout | undefined;
      const pause = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, left);
      });
      await Promise.race([this.#next.promise, pause]);
      clearTimeout(timer);
    }
  }
}
