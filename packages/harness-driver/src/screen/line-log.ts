import type { IMarker, Terminal } from '@xterm/headless';

/** Maximum number of lines before they are collected, while the emulator still has them. */
const MOST_WAITING = 400;

/**
 * Reports each line that a program writes on the normal screen once, when the cursor has moved below it. Lines that are
 * redrawn above are not reported again. The alternate screen is ignored.
 */
export class LineLog {
  readonly #emulator: Terminal;
  readonly #onLine: (line: string) => void;
  /** The first line not reported yet. */
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

  /** Reports the lines that are complete now. */
  take(): void {
    this.#fed = 0;
    if (this.#isElsewhere) return;
    const { baseY, cursorY } = this.#emulator.buffer.normal;
    this.#tellUntil(this.#startOf(baseY + cursorY));
  }

  /** Reports the last line as well: the program has ended. */
  end(): void {
    if (this.#isElsewhere) return;
    const { baseY, cursorY } = this.#emulator.buffer.normal;
    this.#tellUntil(baseY + cursorY + 1);
  }

  /** Skips everything written so far, because part of it is missing. */
  skip(): void {
    if (!this.#isElsewhere) this.#goOnAt(0);
  }

  get #isElsewhere(): boolean {
    return this.#emulator.buffer.active.type === 'alternate';
  }

  /** The screen is about to be cleared. */
  #cleared(): void {
    if (this.#isElsewhere) return;
    this.take();
    this.#goOnAt(-this.#emulator.buffer.normal.cursorY);
  }

  #tellUntil(end: number): void {
    const { normal } = this.#emulator.buffer;
    // The emulator may have dropped it.
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
