const ESC = 0x1b;
const BEL = 0x07;
const ENQUIRY = 0x05;
const CANCEL = 0x18;
const SUBSTITUTE = 0x1a;
/** In UTF-8, the first byte of U+0080 to U+009F: a second form of ESC and a letter, which nobody needs. */
const C1 = 0xc2;

/** After ESC: what begins a text for the terminal, such as a title, a link, the clipboard or a device command. */
const TEXTS = new Set([...']P_^Xk'].map((letter) => letter.charCodeAt(0)));
/** After ESC: asks who the terminal is. */
const IDENTIFY = 'Z'.charCodeAt(0);
/** After `ESC [`: what a terminal answers as if it were typed, and what prints or resizes. */
const QUERIES =
  /^(?:[>=]?[\d;:]*c|\??[\d;]*n|\??[\d;]*\$p|[\d;]*[tx]|>[\d;]*q|\?[\d;]*[uS]|[\d;]*[*$&]?[yw]|\??[\d;]*i)$/;
/** More than any sequence that draws. */
const LONGEST = 256;

/**
 * Lets the output of an agent's program draw in another terminal, and do nothing else there: the viewer did not start the
 * program, and it may run on another machine. Sequences may be split between chunks.
 */
export class Drawing {
  #state: 'text' | 'escape' | 'sequence' | 'dropped' | 'droppedEscape' | 'c1' = 'text';
  #sequence: number[] = [];

  of(output: Uint8Array): Uint8Array {
    const kept: number[] = [];
    for (const byte of output) this.#take(byte, kept);
    return Uint8Array.from(kept);
  }

  #take(byte: number, kept: number[]): void {
    switch (this.#state) {
      case 'text':
        if (byte === ESC) this.#state = 'escape';
        else if (byte === C1) this.#state = 'c1';
        else if (byte !== ENQUIRY) kept.push(byte);
        return;
      case 'c1':
        this.#state = 'text';
        if (byte >= 0xa0) kept.push(C1, byte);
        else if (byte < 0x80) this.#take(byte, kept);
        return;
      case 'escape':
        this.#escape(byte, kept);
        return;
      case 'sequence':
        this.#inSequence(byte, kept);
        return;
      case 'dropped':
        if (byte === ESC) this.#state = 'droppedEscape';
        else if (byte === BEL || byte === CANCEL || byte === SUBSTITUTE) this.#state = 'text';
        return;
      case 'droppedEscape':
        // `ESC \` is its end; any other sequence ends it too.
        if (byte === 0x5c) this.#state = 'text';
        else this.#escape(byte, kept);
    }
  }

  #escape(byte: number, kept: number[]): void {
    if (byte === ESC) this.#state = 'escape';
    else if (byte === 0x5b) {
      this.#state = 'sequence';
      this.#sequence = [];
    } else if (TEXTS.has(byte)) this.#state = 'dropped';
    else {
      this.#state = 'text';
      if (byte !== IDENTIFY) kept.push(ESC, byte);
    }
  }

  #inSequence(byte: number, kept: number[]): void {
    if (byte === ESC) this.#state = 'escape';
    else if (byte === CANCEL || byte === SUBSTITUTE || this.#sequence.length === LONGEST)
      this.#state = 'text';
    else if (byte >= 0x20) {
      this.#sequence.push(byte);
      if (byte < 0x40) return;
      this.#state = 'text';
      if (!QUERIES.test(String.fromCharCode(...this.#sequence))) kept.push(ESC, 0x5b, ...this.#sequence);
    }
    // Controls inside a sequence take effect at once.
    else if (byte !== ENQUIRY) kept.push(byte);
  }
}
