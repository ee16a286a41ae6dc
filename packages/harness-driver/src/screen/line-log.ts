import type { IMarker, Terminal } from '@xterm/headless';

/** So many new lines are taken at the latest, before the emulator forgets them. */
const MOST_WAITING = 400;

/**
 * The lines that a program writes on the normal screen, each once, when the cursor has left it downwards. However often it
 * draws above that place again, nothing is told twice. What is on the alternate screen is not told.
 */
export class LineLog {
  readonly #emulator: Terminal;
  readonly #onLine: (line: string) => void;
  /** The first line that was not told. */
  #next: IMarker | undefined;
  #fed = 0;

  constructor(emulator: Terminal, onLine: (line: string) => void) {
    this.#emulator = emulator;
    this.#onLine = onLine;
    this.#next = emulator.registerMarker(0);
    emulator.onLineFeed(() => {
      if (++this.#fed >= MOST_WAITING) this.take();
    });
    emulator.parser.registerCsiHandler({ final: 'J' }, ([part]) => {
      if (part === 2 || part === 3) this.#cleared();
      return false;
    });
  }

  /** Tells the lines that are complete now. */
  take(): void {
    this.#fed = 0;
    if (this.#isElsewhere) return;
    const { baseY, cursorY } = this.#emulator.buffer.normal;
    this.#tellUntil(this.#startOf(baseY + cursorY));
  }

  /** Tells the last line as well: the program has ended. */
  end(): void {
    if (this.#isElsewhere) return;
    const { baseY, cursorY } = this.#emulator.buffer.normal;
    this.#tellUntil(baseY + cursorY + 1);
  }

  /** Nothing that was written up to now is told: a part of it is missing. */
  skip(): void {
    if (!this.#isElsewhere) this.#goOnAt(0);
  }

  get #isElsewhere(): boolean {
    return this.#emulator.buffer.active.type === 'alternate';
  }

  /** What is on the screen goes away, and others are written in its place. */
  #cleared(): void {
    if (this.#isElsewhere) return;
    this.take();
    this.#goOnAt(-this.#emulator.buffer.normal.cursorY);
  }

  #tellUntil(end: number): void {
    const { normal } = this.#emulator.buffer;
    // The emulator has forgotten it, if it was that long ago.
    let line = this.#next && !this.#next.isDisposed ? this.#next.line : 0;
    if (line >= end) return;
    while (line < end) {
      let text = '';
      let row = line;
      do text += normal.getLine(row++)?.translateToString(false, 0, this.#emulator.cols) ?? '';
      while (row < end && normal.getLine(row)?.isWrapped);
      this.#onLine(text.trimEnd());
      line = row;
    }
    this.#goOnAt(end - normal.baseY - normal.cursorY);
  }

  /** The first row of a line that may be wrapped. */
  #startOf(row: number): number {
    const { normal } = this.#emulator.buffer;
    let first = row;
    while (first > 0 && normal.getLine(first)?.isWrapped) first--;
    return first;
  }

  #goOnAt(offset: number): void {
    this.#next?.dispose();
    this.#next = this.#emulator.registerMarker(offset);
  }
}
