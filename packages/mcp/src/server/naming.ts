/** How long a client's handshake waits for its name. Clients do not wait longer; without a daemon this takes no time. */
export const NAME_WAIT_MS = 1000;

/** Makes sure that a model knows the name of its session, even if it is assigned late or changes. */
export class Naming {
  #told: string | undefined;

  constructor(told?: string) {
    this.#told = told;
  }

  /** The model got this name by other means. */
  tell(name: string | undefined): void {
    this.#told = name;
  }

  /** The pending notice, returned once. */
  news(name: string | undefined): string | undefined {
    if (name === undefined || name === this.#told) return undefined;
    this.#told = name;
    return `You are ${name}.`;
  }
}
