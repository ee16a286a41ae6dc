/** The input of the program, shared by the person and the relay: their bytes never mix. */
export class SharedKeyboard {
  readonly #write: (bytes: Uint8Array | string) => void;
  #held: Uint8Array[] | undefined;

  constructor(write: (bytes: Uint8Array | string) => void) {
    this.#write = write;
  }

  /** The person's keys are written at once, or right after what the relay is typing. */
  press(keys: Uint8Array): void {
    if (this.#held) this.#held.push(keys);
    else this.#write(keys);
  }

  /** Lets the relay type without interruption. */
  async alone<T>(type: (write: (text: string) => void) => Promise<T>): Promise<T> {
    this.#held = [];
    try {
      return await type((text) => this.#write(text));
    } finally {
      const held = this.#held;
      this.#held = undefined;
      for (const keys of held) this.#write(keys);
    }
  }
}
