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
  /** The first line not reported yet is this many rows below a marker, or below the top. */
  #next: IMarker | undefined;
  #below = 0;
  #fed = 0;
  /** The lowest row that a line feed led to since lines were taken: what is above is complete, wherever the cursor is. */
  #lowest = 0;

  constructor(emulator: Terminal, onLine: (line: string) => void) {
    this.#emulator = emulator;
    this.#onLine = onLine;
    this.#next = emulator.registerMarker(0);
    emulator.onLineFeed(() => {
      const { baseY, cursorY } = emulator.buffer.normal;
      this.#lowest = Math.max(this.#lowest, baseY + cursorY);
      if (++this.#fed >= MOST_WAITING) this.take();
    });
    emulator.parser.registerCsiHandler({ final: 'J' }, ([part]) => {
      this.#erases(part);
      return false;
    });
    emulator.parser.registerCsiHandler({ final: 'M' }, ([rows]) => {
      this.#deletes(Number(rows) || 1);
      return false;
    });
    emulator.parser.registerEscHandler({ final: 'c' }, () => {
      this.#takeAll();
      if (!this.#isElsewhere) this.#goOnBelow(undefined, 0);
      return false;
    });
    emulator.onResize(() => {
      this.#lowest = 0;
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

  /** The screen, or a part of it, is about to be erased. */
  #erases(part: number | number[] = 0): void {
    if (this.#isElsewhere) return;
    this.#takeAll();
    const { baseY, cursorY } = this.#emulator.buffer.normal;
    // From the top: some terminals are cleared like that.
    const isAll = part === 2 || (part === 0 && cursorY === 0);
    if (part !== 3 && this.#line >= baseY) this.#goOnAfter(isAll ? baseY : this.#line);
  }

  /** Rows are about to be deleted from the cursor on; what is below moves up. */
  #deletes(rows: number): void {
    if (this.#isElsewhere) return;
    this.#takeAll();
    const { baseY, cursorY } = this.#emulator.buffer.normal;
    const first = baseY + cursorY;
    if (this.#line >= first && this.#line < first + rows) this.#goOnAfter(first);
  }

  /** Also what is below the cursor: it is about to go. */
  #takeAll(): void {
    this.take();
    if (!this.#isElsewhere) this.#tellUntil(this.#startOf(this.#lowest));
    this.#lowest = 0;
  }

  #tellUntil(end: number): void {
    const { normal } = this.#emulator.buffer;
    let line = this.#line;
    while (line < end) {
      let text = '';
      let row = line;
      do text += this.#textOf(row++);
      while (row < end && normal.getLine(row)?.isWrapped);
      this.#onLine(text.trimEnd());
      line = row;
    }
    this.#goOnAt(line - normal.baseY - normal.cursorY);
  }

  get #line(): number {
    const { baseY, cursorY } = this.#emulator.buffer.normal;
    // It went with its row, in a way not known here: what the program writes from here on is new.
    if (this.#next?.isDisposed) return this.#startOf(baseY + cursorY);
    return (this.#next?.line ?? 0) + this.#below;
  }

  #textOf(row: number): string {
    const { normal } = this.#emulator.buffer;
    const line = normal.getLine(row);
    const last = this.#emulator.cols - 1;
    // A wide character that did not fit left the last column empty.
    const isShort =
      normal.getLine(row + 1)?.isWrapped &&
      line?.getCell(last)?.getWidth() === 1 &&
      line.getCell(last)?.getCode() === 0;
    return line?.translateToString(false, 0, isShort ? last : last + 1) ?? '';
  }

  /** The first row of a line that may be wrapped. */
  #startOf(row: number): number {
    const { normal } = this.#emulator.buffer;
    let first = row;
    while (first > 0 && normal.getLine(first)?.isWrapped) first--;
    return first;
  }

  /** From the cursor's row. */
  #goOnAt(offset: number): void {
    this.#goOnBelow(this.#emulator.registerMarker(offset), 0);
  }

  /** At this row of the screen, once it was erased with its markers: one above the screen stays. */
  #goOnAfter(row: number): void {
    const { baseY, cursorY } = this.#emulator.buffer.normal;
    const above = baseY > 0 ? this.#emulator.registerMarker(-1 - cursorY) : undefined;
    this.#goOnBelow(above, row - (above?.line ?? 0));
  }

  #goOnBelow(marker: IMarker | undefined, rows: number): void {
    this.#next?.dispose();
    this.#next = marker;
    this.#below = rows;
  }
}
