/**
 * Notices messages whose news did not reach this daemon in time. The store numbers messages in the order of their commits,
 * over all daemons; the news of another daemon may come late, or never. A number that is skipped shows that something
 * earlier may be in the store already. (It may also be a number that the database did not use.)
 */
export class StoredOrder {
  readonly #isShared: boolean;
  #latest = 0;
  #gaps = 0;

  /** A daemon that does not share its store gets all news in order, and need not look for gaps. */
  constructor(isShared: boolean) {
    this.#isShared = isShared;
  }

  heard(seq: number): void {
    if (!this.#isShared || seq <= this.#latest) return;
    if (seq !== this.#latest + 1) this.#gaps += 1;
    this.#latest = seq;
  }

  /** Whether the news of a later one came first. */
  isLate(seq: number): boolean {
    return seq < this.#latest;
  }

  /** How often numbers were skipped. Who has read the store since the last time has everything that comes late. */
  get gaps(): number {
    return this.#gaps;
  }
}
