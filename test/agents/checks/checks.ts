/** Counts checks; skips are as visible as failures. */
export class Checks {
  #passed = 0;
  #failed = 0;
  #skipped = 0;

  async run(name: string, check: () => Promise<void>): Promise<void> {
    const start = performance.now();
    const took = () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
    try {
      await check();
      this.#passed++;
      console.log(`ok    ${name} (${took()})`);
    } catch (error) {
      this.#failed++;
      console.log(`FAIL  ${name} (${took()})\n${(error as Error).stack ?? error}`);
    }
  }

  skip(name: string, reason: string): void {
    this.#skipped++;
    console.log(`skip  ${name}: ${reason}`);
  }

  /** Prints the sum; true if nothing failed and something was checked. */
  finish(): boolean {
    console.log(`${this.#passed} passed, ${this.#failed} failed, ${this.#skipped} skipped`);
    return this.#failed === 0 && this.#passed + this.#skipped > 0;
  }
}
