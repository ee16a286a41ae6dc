import { TokenBucket } from '@agent-relay/platform/limits';

/** Burst after a pause, in seconds of the rate. */
const BURST_SECONDS = 10;
/** How often an ongoing flood is reported. */
const TOLD_EVERY_MS = 60_000;

/**
 * Limits the notifications of a backend. Beyond the rate, log messages are dropped. Of those where only the latest
 * matters, such as progress, the latest is passed on as soon as the rate allows.
 */
export class NotificationLimit {
  readonly #perSecond: number;
  readonly #exceeded: () => void;
  /** The latest delayed notification of each key, oldest key first. */
  readonly #waiting = new Map<string, () => void>();
  readonly #room: TokenBucket;
  #timer: NodeJS.Timeout | undefined;
  #dropped = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  /** Calls `exceeded` at the first drop, then once a minute while it continues. */
  constructor(perSecond: number, exceeded: () => void) {
    this.#perSecond = perSecond;
    this.#exceeded = exceeded;
    const rate = { amount: perSecond, periodMs: 1000, burst: perSecond * BURST_SECONDS };
    this.#room = new TokenBucket(rate, performance.now());
  }

  /** Number of dropped notifications. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Passes it on now or drops it. */
  pass(deliver: () => void): void {
    if (this.#waiting.size === 0 && this.#takeRoom()) deliver();
    else this.#drop();
  }

  /** Passes it on now or later. A newer one of the same key replaces it. */
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
