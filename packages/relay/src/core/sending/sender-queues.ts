/**
 * Keeps the messages of one sender in order: the way of each is looked up after that of the one before, so that a slow
 * first one is not overtaken.
 */
export class SenderQueues {
  readonly #last = new Map<number, Promise<void>>();

  /** Whether the sender has a message whose way is still being looked up: later ones must queue behind it. */
  isWaiting(senderId: number): boolean {
    return this.#last.has(senderId);
  }

  /** Runs `lookUp` when it is the sender's turn, and at once what comes of it, before the next one's turn. */
  async run<Result>(senderId: number, lookUp: () => Promise<() => Promise<Result>>): Promise<Result> {
    const before = this.#last.get(senderId) ?? Promise.resolve();
    const mine = before.then(lookUp);
    const settled = mine.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(senderId, settled);
    try {
      const append = await mine;
      return await append();
    } finally {
      if (this.#last.get(senderId) === settled) this.#last.delete(senderId);
    }
  }
}
