import type { Modes } from '@agent-relay/protocol/drawing';
import { SerializeAddon } from '@xterm/addon-serialize';
import xterm from '@xterm/headless';
import { boundRepeats } from './bound-repeats.ts';
import { condense } from './condense.ts';
import { drawRows, type ScreenPart } from './draw-rows.ts';
import { endWeightFirst } from './letter-weight.ts';
import { LineLog } from './line-log.ts';
import { readView } from './read-view.ts';
import type { ScreenView } from './view.ts';
import { watchModes } from './watch-modes.ts';
import { countAsClis } from './widths.ts';

export interface ScreenOptions {
  columns: number;
  rows: number;
  /** Is called when what is on the screen may have changed, and all output so far is on it. */
  onChange?: () => void;
  /** Is called for each line that is complete on the normal screen, once. */
  onLine?: ((line: string) => void) | undefined;
}

/** Emulated at a time: short enough that a key press does not wait noticeably. */
const SLICE_BYTES = 32 * 1024;
/** Further behind than this, output is no longer worth emulating: it scrolls by faster than anybody reads. */
const MOST_BEHIND_BYTES = 1024 * 1024;
/** How much of it is emulated anyway: many screens. */
const TAIL_BYTES = 128 * 1024;
/** A program that writes faster than can be emulated is left alone until it has paused for this long. */
const PAUSE_MS = 20;
const HISTORY_LINES = 1000;
/** Lines above the screen that a new viewer gets. */
const SHOWN_HISTORY = 500;

/**
 * A terminal emulator behind the person's terminal: it gets the same bytes and knows what is on the screen. The person's
 * terminal never waits for it. It works when the program pauses; if the program writes without a pause, it skips to the
 * end, and what it shows does not count as known until the screen was
 * cleared or everything on it was written after that.
 */
export class Screen {
  readonly #emulator: xterm.Terminal;
  readonly #modes: Modes;
  readonly #serializer = new SerializeAddon();
  readonly #onChange: () => void;
  readonly #lines: LineLog | undefined;
  #behind: Buffer[] = [];
  #behindBytes = 0;
  #isEmulating = false;
  #hasNews = false;
  #next: NodeJS.Immediate | undefined;
  #pause: NodeJS.Timeout | undefined;
  /** Output comes faster than it can be emulated: trying to keep up would only slow it down. */
  #isFlooded = false;
  #linesUntilKnown = 0;
  #onSettled: Array<() => void> = [];

  constructor({ columns, rows, onChange = () => undefined, onLine }: ScreenOptions) {
    this.#emulator = new xterm.Terminal({
      cols: columns,
      rows,
      scrollback: HISTORY_LINES,
      allowProposedApi: true,
    });
    this.#modes = watchModes(this.#emulator);
    this.#emulator.loadAddon(this.#serializer);
    countAsClis(this.#emulator);
    boundRepeats(this.#emulator);
    this.#onChange = onChange;
    this.#lines =
      onLine && new LineLog(this.#emulator, (line) => this.#linesUntilKnown === 0 && onLine(line));
    this.#emulator.onLineFeed(() => {
      if (this.#linesUntilKnown > 0) this.#linesUntilKnown--;
    });
    this.#emulator.parser.registerCsiHandler({ final: 'J' }, ([part]) => {
      if (part === 2) this.#linesUntilKnown = 0;
      return false;
    });
  }

  feed(output: Buffer): void {
    this.#behind.push(output);
    this.#behindBytes += output.length;
    this.#hasNews = true;
    if (this.#behindBytes > MOST_BEHIND_BYTES) this.#skip();
    this.#emulateInAPause();
  }

  resize(columns: number, rows: number): void {
    this.#emulator.resize(columns, rows);
    this.#onChange();
  }

  /** Whether some output is not on the screen yet; `onChange` is called when it is. */
  get isBehind(): boolean {
    return this.#behindBytes > 0 || this.#isEmulating;
  }

  /** What is on the screen; undefined while the emulator is behind, or where it has skipped something. */
  view(): ScreenView | undefined {
    if (this.isBehind || this.#linesUntilKnown > 0) return undefined;
    return readView(this.#emulator, this.#modes.isCursorVisible);
  }

  /** Resolves when everything that came so far is on the screen. */
  settled(): Promise<void> {
    if (!this.isBehind) return Promise.resolve();
    return new Promise((resolve) => this.#onSettled.push(resolve));
  }

  /** The screen, its scrollback and modes, for another terminal of the same size; all output is included. */
  snapshot(): string {
    return `${endWeightFirst(this.#serializer.serialize({ scrollback: SHOWN_HISTORY }))}${this.#modes.redo()}`;
  }

  /** Rows of the screen with their colours, for a terminal of another size. */
  draw(part: ScreenPart): string[] {
    return drawRows(this.#emulator, part);
  }

  /** Whether positions count from the scroll region. */
  get hasOrigin(): boolean {
    return this.#emulator.modes.originMode;
  }

  get cursor(): { row: number; column: number } {
    const { cursorX, cursorY } = this.#emulator.buffer.active;
    return { row: cursorY, column: cursorX };
  }

  /** Where a person looks: at the cursor, or at the last text if the program has hidden its cursor away from any text. */
  get focus(): { row: number; column: number } {
    const { cursor } = this;
    if (this.#modes.isCursorVisible || !this.#isBlank(cursor.row)) return cursor;
    let row = this.#emulator.rows - 1;
    while (row > 0 && this.#isBlank(row)) row--;
    return { row, column: 0 };
  }

  #isBlank(row: number): boolean {
    const { active } = this.#emulator.buffer;
    const line = active.getLine(active.baseY + row);
    return !line?.translateToString(true).trim();
  }

  get size(): { columns: number; rows: number } {
    return { columns: this.#emulator.cols, rows: this.#emulator.rows };
  }

  /** The program has ended: its last line is complete as well. */
  endLines(): void {
    this.#lines?.end();
  }

  /** Sequence that resets a terminal from the program's modes. */
  undoModes(): string {
    return this.#modes.undo();
  }

  dispose(): void {
    clearImmediate(this.#next);
    clearTimeout(this.#pause);
    this.#emulator.dispose();
  }

  /** While each turn of the event loop brings more output, passing it on comes first. */
  #emulateInAPause(): void {
    if (this.#next !== undefined || this.#pause !== undefined || this.#isEmulating) return;
    const look = () => {
      this.#next = undefined;
      this.#pause = undefined;
      if (!this.#hasNews) return this.#emulate();
      this.#hasNews = false;
      this.#emulateInAPause();
    };
    if (this.#isFlooded) this.#pause = setTimeout(look, PAUSE_MS);
    else this.#next = setImmediate(look);
  }

  #emulate(): void {
    const slice = this.#takeSlice();
    this.#isEmulating = true;
    this.#isFlooded = false;
    this.#emulator.write(slice, () => {
      this.#isEmulating = false;
      this.#lines?.take();
      if (this.#behindBytes > 0) this.#emulateInAPause();
      else this.#settle();
    });
  }

  #settle(): void {
    for (const resolve of this.#onSettled.splice(0)) resolve();
    this.#onChange();
  }

  #takeSlice(): Buffer {
    const taken: Buffer[] = [];
    let room = SLICE_BYTES;
    while (room > 0) {
      const first = this.#behind.shift();
      if (first === undefined) break;
      taken.push(first.subarray(0, room));
      if (first.length > room) this.#behind.unshift(first.subarray(room));
      room -= first.length;
    }
    const slice = Buffer.concat(taken);
    this.#behindBytes -= slice.length;
    return slice;
  }

  #skip(): void {
    const all = Buffer.concat(this.#behind);
    const cut = cleanCut(all, all.length - TAIL_BYTES);
    const kept = [condense(all.subarray(0, cut)), all.subarray(cut)];
    this.#behind = kept.filter(({ length }) => length > 0);
    this.#behindBytes = kept.reduce((sum, { length }) => sum + length, 0);
    this.#isFlooded = true;
    this.#linesUntilKnown = this.#emulator.rows;
    this.#lines?.skip();
  }
}

/** The first place at or after `start` where no character and no control sequence is cut in two. */
function cleanCut(output: Buffer, start: number): number {
  const places = ['\n', '\x1b'].map((mark) => output.indexOf(mark, start)).filter((at) => at >= 0);
  return places.length === 0 ? output.length : Math.min(...places);
}
