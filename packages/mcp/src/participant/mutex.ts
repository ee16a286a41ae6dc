/** A fair mutex. */
export class Mutex {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is the caller's turn, with the function that releases it. */
  async enter(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#last;
    this.#last = promise;
    await before;
    return resolve;
  }

  /** Runs the work when it is the caller's turn. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const leave = await this.enter();
    try {
      return await work();
    } finally {
      leave();
    }
  }
}
