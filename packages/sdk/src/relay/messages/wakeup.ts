/** Lets loops sleep until something they look at may have changed. */
export class Wakeup {
  #sleeping: Array<() => void> = [];

  wait(): Promise<void> {
    return new Promise((wake) => this.#sleeping.push(wake));
  }

  notify(): void {
    const sleeping = this.#sleeping;
    if (sleeping.length === 0) return;
    this.#sleeping = [];
    for (const wake of sleeping) wake();
  }
}
