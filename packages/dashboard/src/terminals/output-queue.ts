type Entry = Uint8Array | (() => void);

/** Drawn at once; drawn output can no longer be dropped. */
const MOST_AT_ONCE = 64 * 1024;
/** Ends a control sequence that was begun and is not continued. */
const CANCEL = Uint8Array.of(0x18);

/** Output on its way to an emulator, which draws a piece at a time and says when it is done. */
export class OutputQueue {
  readonly #draw: (output: Uint8Array, done: () => void) => void;
  #waiting: Entry[] = [];
  #isDrawing = false;
  #backlog = 0;
  #drained: Array<() => void> = [];

  constructor(draw: (output: Uint8Array, done: () => void) => void) {
    this.#draw = draw;
  }

  /** Bytes not drawn yet. */
  get backlog(): number {
    return this.#backlog;
  }

  add(output: Uint8Array): void {
    this.#waiting.push(output);
    this.#backlog += output.length;
    this.#next();
  }

  /** Drops what is not drawn yet, clears the terminal and continues with this. */
  restart(clear: () => void, output: Uint8Array): void {
    this.#backlog -= this.#waiting.reduce(
      (sum, entry) => sum + (entry instanceof Uint8Array ? entry.length : 0),
      0,
    );
    this.#waiting = [CANCEL, clear];
    this.#backlog += CANCEL.length;
    this.add(output);
  }

  /** Resolves when everything has been drawn. */
  drained(): Promise<void> {
    if (this.#backlog === 0) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  #next(): void {
    if (this.#isDrawing) return;
    while (this.#waiting[0] instanceof Function) (this.#waiting.shift() as () => void)();
    const piece = this.#takePiece();
    if (piece === undefined) {
      for (const resolve of this.#drained.splice(0)) resolve();
      return;
    }
    this.#isDrawing = true;
    this.#draw(piece, () => {
      this.#isDrawing = false;
      this.#backlog -= piece.length;
      this.#next();
    });
  }

  #takePiece(): Uint8Array | undefined {
    const taken: Uint8Array[] = [];
    let room = MOST_AT_ONCE;
    while (room > 0) {
      const [first] = this.#waiting;
      if (!(first instanceof Uint8Array)) break;
      this.#waiting.shift();
      taken.push(first.subarray(0, room));
      if (first.length > room) this.#waiting.unshift(first.subarray(room));
      room -= first.length;
    }
    if (taken.length < 2) return taken[0];
    const piece = new Uint8Array(taken.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of taken) {
      piece.set(part, at);
      at += part.length;
    }
    return piece;
  }
}
