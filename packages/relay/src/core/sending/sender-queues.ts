/** Keeps the messages of one sender in order: a message that needs a lookup is not overtaken by a later one. */
export class SenderQueues {
  readonly #last = new Map<number, Promise<void>>();

  /** Whether a lookup for the sender is in progress: later messages must queue behind it. */
  isWaiting(senderId: number): boolean {
    return this.#last.has(senderId);
  }

  /** Runs `lookUp` when it is the sender's turn, then `append` with what it found, before the next one's turn. */
  async run<Found, Result>(
    senderId: number,
    lookUp: () => Promise<Found>,
    append: (found: Found) => Promise<Result>,
  ): Promise<Result> {
    const before = this.#last.get(senderId) ?? Promise.resolve();
    const found = before.then(lookUp);
    const settled = found.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(senderId, settled);
    try {
      return await append(await found);
    } finally {
      if (this.#last.get(senderId) === settled) this.#last.delete(senderId);
    }
  }
}
