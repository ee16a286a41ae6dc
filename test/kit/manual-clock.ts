import type { Clock } from '../../packages/relay/src/core/ports/clock.ts';

/** A clock that only moves when a test moves it. */
export class ManualClock implements Clock {
  #now = 1_800_000_000_000;
  /** The offset of the wall clock. */
  #set = 0;
  readonly #timers = new Set<{ at: number; action: () => void }>();

  now(): number {
    return this.#now + this.#set;
  }

  elapsed(): number {
    return this.#now;
  }

  /** Sets the clock of the machine; no time passes. */
  set(byMs: number): void {
    this.#set += byMs;
  }

  after(ms: number, action: () => void): () => void {
    const timer = { at: this.#now + ms, action };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Whether something waits exactly this long from now. */
  isAwaited(ms: number): boolean {
    return [...this.#timers].some(({ at }) => at === this.#now + ms);
  }

  /** Drops all timers, as when the process ends. */
  forget(): void {
    this.#timers.clear();
  }

  /** Advances the clock and runs everything that comes due, in order. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.#timers.delete(next);
      this.#now = next.at;
      next.action();
    }
    this.#now = end;
  }
}
