/** Runs work sequentially per key; different keys do not wait for each other. */
export class KeyedQueue {
  readonly #last = new Map<number, Promise<unknown>>();

  run<T>(key: number, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const result = before ? before.then(work, work) : work();
    this.#last.set(key, result);
    const done = () => {
      if (this.#last.get(key) === result) this.#last.delete(key);
    };
    result.then(done, done);
    return result;
  }

  /** Resolves when all work is done that waits now. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#last.values());
  }
}
