import type { RelayError } from '@agent-relay/protocol';

/** Counts something per key: things, or their bytes. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(whose: string, change = 1): void {
    const count = (this.#counts.get(whose) ?? 0) + change;
    if (count === 0) this.#counts.delete(whose);
    else this.#counts.set(whose, count);
  }

  /**
   * Counts `amount` more, so that concurrent callers see it; the returned function undoes it. Throws if
   * that is over the limit.
   */
  reserve(whose: string, most: number, refusal: () => RelayError, amount = 1): () => void {
    if ((this.#counts.get(whose) ?? 0) + amount > most) throw refusal();
    this.add(whose, amount);
    return () => this.add(whose, -amount);
  }

  /** Counts `after` in place of `before`. Throws if that is more than before, and over the limit. */
  replace(whose: string, before: number, after: number, most: number, refusal: () => RelayError): void {
    const count = (this.#counts.get(whose) ?? 0) - before + after;
    if (after > before && count > most) throw refusal();
    this.add(whose, after - before);
  }
}
