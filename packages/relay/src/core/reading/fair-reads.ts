/** Concurrent reads in the store: few, so that the order is decided late and a newcomer waits for few. */
const AT_ONCE = 4;
const AT_ONCE_EACH = 2;

interface Queue {
  running: number;
  readonly waiting: Array<() => Promise<void>>;
}

/** Shares the store among readers: they take turns, however many reads each of them requests. */
export class FairReads {
  /** Active and waiting readers, next one first. */
  readonly #queues = new Map<string, Queue>();
  #running = 0;

  /** Calls `read` when it is the turn of `who`, immediately if possible. */
  take<T>(who: string, read: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const queue = this.#queues.get(who) ?? { running: 0, waiting: [] };
      this.#queues.set(who, queue);
      queue.waiting.push(async () => {
        try {
          resolve(await read());
        } catch (error) {
          reject(error);
        }
      });
      this.#next();
    });
  }

  #next(): void {
    for (const [who, queue] of this.#queues) {
      if (this.#running >= AT_ONCE) return;
      if (queue.running >= AT_ONCE_EACH) continue;
      const read = queue.waiting.shift();
      if (!read) continue;
      // Moves behind all others.
      this.#queues.delete(who);
      this.#queues.set(who, queue);
      void this.#run(who, queue, read);
    }
  }

  async #run(who: string, queue: Queue, read: () => Promise<void>): Promise<void> {
    this.#running += 1;
    queue.running += 1;
    await read();
    this.#running -= 1;
    queue.running -= 1;
    if (queue.running === 0 && queue.waiting.length === 0) this.#queues.delete(who);
    this.#next();
  }
}
