import type { AwaitOutcome } from '../core/delivery/awaits.ts';

/** The awaited messages of one connection. An outcome is told after the answer to its SEND, never before. */
export class Awaiting {
  readonly #tell: (id: string, outcome: AwaitOutcome) => void;
  readonly #giveUps = new Map<string, () => void>();
  /** SENDs not answered yet, with the outcome that came meanwhile. */
  readonly #unanswered = new Map<string, AwaitOutcome | undefined>();
  #closed = false;

  constructor(tell: (id: string, outcome: AwaitOutcome) => void) {
    this.#tell = tell;
  }

  sending(id: string): void {
    this.#unanswered.set(id, undefined);
  }

  answered(id: string): void {
    const outcome = this.#unanswered.get(id);
    this.#unanswered.delete(id);
    if (outcome) this.settle(id, outcome);
  }

  settle(id: string, outcome: AwaitOutcome): void {
    if (this.#unanswered.has(id)) {
      this.#unanswered.set(id, outcome);
      return;
    }
    this.#giveUps.delete(id);
    this.#tell(id, outcome);
  }

  hold(id: string, giveUp: () => void): void {
    if (this.#closed) giveUp();
    else this.#giveUps.set(id, giveUp);
  }

  cancel(id: string): void {
    this.#giveUps.get(id)?.();
    this.#giveUps.delete(id);
  }

  close(): void {
    this.#closed = true;
    for (const giveUp of this.#giveUps.values()) giveUp();
  }
}
