import { TokenBucket } from '@agent-relay/platform/limits';

/** After a pause, as many may come at once as in so many seconds. */
const BURST_SECONDS = 10;
/** While it goes on, it is told no more often than this. */
const TOLD_EVERY_MS = 60_000;

/**
 * Bounds what a backend says unasked. Beyond its rate, log messages are dropped; of what only the latest matters, such as
 * the progress of a call, the latest is passed on as soon as there is room.
 */
export class NotificationLimit {
  readonly #perSecond: number;
  readonly #exceeded: () => void;
  /** The latest of each key that found no room, in the order in which the keys came. */
  readonly #waiting = new Map<string, () => void>();
  readonly #room: TokenBucket;
  #timer: NodeJS.Timeout | undefined;
  #dropped = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  /** `exceeded` is called when the first one is dropped, and now and then while that goes on. */
  constructor(perSecond: number, exceeded: () => void) {
    this.#perSecond = perSecond;
    this.#exceeded = exceeded;
    const rate = { amount: perSecond, periodMs: 1000, burst: perSecond * BURST_SECONDS };
    this.#room = new TokenBucket(rate, performance.now());
  }

  /** How many were not passed on. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Passes one on now, or never. */
  pass(deliver: () => void): void {
    if (this.#waiting.size === 0 && this.#takeRoom()) deliver();
    else this.#drop();
  }

  /** Passes one on now, or later, unless another of its key comes first: then that one. */
  passLatest(key: string, deliver: () => void): void {
    if (this.#waiting.size === 0 && this.#takeRoom()) {
      deliver();
      return;
    }
    if (this.#waiting.has(key)) this.#drop();
    this.#waiting.set(key, deliver);
    this.#timer ??= this.#later();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#waiting.clear();
  }

  #takeRoom(): boolean {
    return this.#room.take(performance.now()) === 0;
  }

  #later(): NodeJS.Timeout {
    return setTimeout(() => this.#passWaiting(), 1000 / this.#perSecond).unref();
  }

  #passWaiting(): void {
    this.#timer = undefined;
    for (const [key, deliver] of this.#waiting) {
      if (!this.#takeRoom()) break;
      this.#waiting.delete(key);
      deliver();
    }
    if (this.#waiting.size > 0) this.#timer ??= this.#later();
  }

  #drop(): void {
    this.#dropped++;
    const now = performance.now();
    if (now - this.#toldAt < TOLD_EVERY_MS) return;
    this.#toldAt = now;
    this.#exceeded();
  }
}
