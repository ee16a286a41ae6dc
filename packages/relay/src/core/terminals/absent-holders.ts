import type { Clock } from '../ports/clock.ts';
import type { Run } from '../ports/store/runs.ts';

/** Runs held for viewers who lost their connection: the hold stays until they had time to reconnect. */
export class AbsentHolders {
  readonly #clock: Clock;
  readonly #goneAfterMs: number;
  readonly #onGone: (run: Run) => void;
  /** By id of the run, with a function that stops waiting. */
  readonly #awaited = new Map<string, () => void>();

  constructor(clock: Clock, goneAfterMs: number, onGone: (run: Run) => void) {
    this.#clock = clock;
    this.#goneAfterMs = goneAfterMs;
    this.#onGone = onGone;
  }

  isAwaited(run: Run): boolean {
    return this.#awaited.has(run.id);
  }

  await(run: Run): void {
    this.stopAwaiting(run);
    const stop = this.#clock.after(this.#goneAfterMs, () => {
      this.#awaited.delete(run.id);
      this.#onGone(run);
    });
    this.#awaited.set(run.id, stop);
  }

  stopAwaiting(run: Run): void {
    this.#awaited.get(run.id)?.();
    this.#awaited.delete(run.id);
  }
}
