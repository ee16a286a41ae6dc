interface Account {
  open: number;
  waiting: Array<() => void>;
}

/** Lets each account do a few things at once; what is more waits for its turn, in order. */
export class Turns {
  readonly #atOnce: number;
  readonly #accounts = new Map<string, Account>();

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Resolves when it is the caller's turn, with the function that ends it. */
  async enter(name: string): Promise<() => void> {
    const account = this.#accounts.get(name) ?? { open: 0, waiting: [] };
    this.#accounts.set(name, account);
    if (account.open < this.#atOnce) account.open += 1;
    else await new Promise<void>((resolve) => account.waiting.push(resolve));
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#leave(name, account);
    };
  }

  /** The next one takes the place over, so that nobody comes in between. */
  #leave(name: string, account: Account): void {
    const next = account.waiting.shift();
    if (next) next();
    else account.open -= 1;
    if (account.open === 0) this.#accounts.delete(name);
  }
}
