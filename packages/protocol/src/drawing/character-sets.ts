import type { ByteWriter } from './byte-writer.ts';

const LINE_DRAWING = '0'.charCodeAt(0);
const FIRST = '`'.charCodeAt(0);
/** What the letters from ` to ~ are in the line drawing set of the VT100. */
const LETTERS = [...'◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·'].map((letter) => new TextEncoder().encode(letter));

/**
 * The character sets that a program chooses. Programs draw lines with them where they do not trust the terminal with UTF-8; the
 * lines are written in UTF-8, so that no terminal is ever left in another character set.
 */
export class CharacterSets {
  #sets: readonly [boolean, boolean] = [false, false];
  #shift: 0 | 1 = 0;
  #saved: { sets: readonly [boolean, boolean]; shift: 0 | 1 } = { sets: [false, false], shift: 0 };

  get isLineDrawing(): boolean {
    return this.#sets[this.#shift];
  }

  designate(set: 0 | 1, final: number): void {
    const isDrawing = final === LINE_DRAWING;
    this.#sets = set === 0 ? [isDrawing, this.#sets[1]] : [this.#sets[0], isDrawing];
  }

  shift(set: 0 | 1): void {
    this.#shift = set;
  }

  /** They are saved with the cursor, and restored with it. */
  save(): void {
    this.#saved = { sets: this.#sets, shift: this.#shift };
  }

  restore(): void {
    this.#sets = this.#saved.sets;
    this.#shift = this.#saved.shift;
  }

  reset(): void {
    this.#sets = [false, false];
    this.#shift = 0;
    this.save();
  }

  /** Writes text as it looks in the line drawing set. */
  drawLines(writer: ByteWriter, bytes: Uint8Array, start: number, end: number): void {
    for (let at = start; at < end; at++) {
      const byte = bytes[at] ?? 0;
      const letter = LETTERS[byte - FIRST];
      if (letter) writer.part(letter, 0, letter.length);
      else writer.byte(byte);
    }
  }
}
