import type { RelayError } from '@agent-relay/protocol';

/** Counts something per key. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(whose: string, change: 1 | -1 = 1): void {
    const count = (this.#counts.get(whose) ?? 0) + change;
    if (count === 0) this.#counts.delete(whose);
    else this.#counts.set(whose, count);
  }

  /**
   * Counts one more, so that concurrent callers see it; the returned function undoes it. Throws if
   * the limit is reached.
   */
  reserve(whose: string, most: number, refusal: () => RelayError): () => void {
    if ((this.#counts.get(whose) ?? 0) >= most) throw refusal();
    this.add(whose);
    return () => this.add(whose, -1);
  }
}
