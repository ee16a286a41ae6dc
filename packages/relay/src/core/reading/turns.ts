/** Reads in the hands of the store: few, so that who is next is decided late, and a newcomer waits for few. */
const AT_ONCE = 4;
const AT_ONCE_EACH = 2;

interface Line {
  running: number;
  readonly waiting: Array<() => Promise<void>>;
}

/** Shares the store among those who read: they take turns, however many reads each of them asks for. */
export class Turns {
  /** Those who read or wait, the next one first. */
  readonly #lines = new Map<string, Line>();
  #running = 0;

  /** Calls `read` when it is the turn of `who`, at once if nobody is in the way. */
  take<T>(who: string, read: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const line = this.#lines.get(who) ?? { running: 0, waiting: [] };
      this.#lines.set(who, line);
      line.waiting.push(async () => {
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
    for (const [who, line] of this.#lines) {
      if (this.#running >= AT_ONCE) return;
      if (line.running >= AT_ONCE_EACH) continue;
      const read = line.waiting.shift();
      if (!read) continue;
      // Behind all the others; the loop comes back to it after them.
      this.#lines.delete(who);
      this.#lines.set(who, line);
      void this.#run(who, line, read);
    }
  }

  async #run(who: string, line: Line, read: () => Promise<void>): Promise<void> {
    this.#running += 1;
    line.running += 1;
    await read();
    this.#running -= 1;
    line.running -= 1;
    if (line.running === 0 && line.waiting.length === 0) this.#lines.delete(who);
    this.#next();
  }
}
