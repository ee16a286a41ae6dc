/** Hands items on soon, each once, and then not again before `pauseMs` is over: a thousand changes are one piece of news. */
export class Batches<T> {
  readonly #handOn: (item: T) => void;
  readonly #pauseMs: number;
  readonly #waiting = new Set<T>();
  #timer: NodeJS.Timeout | undefined;

  constructor(pauseMs: number, handOn: (item: T) => void) {
    this.#pauseMs = pauseMs;
    this.#handOn = handOn;
  }

  add(item: T): void {
    this.#waiting.add(item);
    this.#timer ??= this.#flushAfter(0);
  }

  /** What waits is not handed on any more. */
  close(): void {
    clearTimeout(this.#timer);
    this.#waiting.clear();
  }

  #flushAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#flush(), ms).unref();
  }

  #flush(): void {
    const items = [...this.#waiting];
    this.#waiting.clear();
    this.#timer = items.length === 0 ? undefined : this.#flushAfter(this.#pauseMs);
    for (const item of items) this.#handOn(item);
  }
}
