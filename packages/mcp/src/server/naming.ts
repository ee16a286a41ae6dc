/** Sees to it that a model knows what its session is called, also when that is found out late or changes. */
export class Naming {
  #told: string | undefined;

  constructor(told?: string) {
    this.#told = told;
  }

  /** The model is told this name by other means. */
  tell(name: string | undefined): void {
    this.#told = name;
  }

  /** What there is to tell, once. */
  news(name: string | undefined): string | undefined {
    if (name === undefined || name === this.#told) return undefined;
    this.#told = name;
    return `You are ${name}.`;
  }
}
