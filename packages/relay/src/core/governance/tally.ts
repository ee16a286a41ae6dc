import type { RelayError } from '@agent-relay/protocol';

/** How many of something there are for each of those who have any. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(whose: string, change: 1 | -1 = 1): void {
    const count = (this.#counts.get(whose) ?? 0) + change;
    if (count === 0) this.#counts.delete(whose);
    else this.#counts.set(whose, count);
  }

  /**
   * Counts one more, so that whoever comes meanwhile finds it counted; the function returned takes it back. Throws if
   * there are as many as there may be.
   */
  reserve(whose: string, most: number, refusal: () => RelayError): () => void {
    if ((this.#counts.get(whose) ?? 0) >= most) throw refusal();
    this.add(whose);
    return () => this.add(whose, -1);
  }
}
