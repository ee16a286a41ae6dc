import { Drawing } from '@agent-relay/protocol/drawing';
import { Screen } from '../screen/screen.ts';
import { Notice } from '../terminal/notice.ts';
import type { TerminalSize } from '../terminal/person-terminal.ts';

/** Minimum time between two frames if the sizes differ. */
const FRAME_MS = 30;
/** How much is shown to the right of the cursor, where the screen is too wide. */
const AHEAD_COLUMNS = 8;

const CLEAR = '\x1b[?7h\x1b[?25h\x1b[0m\x1b[H\x1b[2J';

/**
 * An agent's terminal in the person's terminal. If the sizes match, what draws is passed through. Otherwise its screen is
 * drawn in the corner, cropped around the cursor if necessary, with a status line below. Nothing is ever shown or emulated here
 * that the drawing has not let through.
 */
export class Picture {
  readonly #write: (text: string | Uint8Array) => void;
  readonly #caption: (columns: number) => string;
  readonly #notice: Notice;
  #own: TerminalSize;
  #screen: Screen | undefined;
  #drawing: Drawing | undefined;
  /** The program draws on the person's terminal itself, and what it changes there has to be reset. */
  #isPassing = false;
  #frame: NodeJS.Timeout | undefined;

  constructor(
    own: TerminalSize,
    write: (text: string | Uint8Array) => void,
    caption: (columns: number) => string,
  ) {
    this.#own = own;
    this.#write = write;
    this.#caption = caption;
    this.#notice = new Notice(write, () => (this.#isPassing ? this.#screen : undefined));
    this.#notice.onChange = () => this.redraw();
  }

  /** Replaces everything with the current terminal. */
  begin(content: Uint8Array, size: TerminalSize): void {
    this.#clear();
    this.#screen = new Screen({ ...size, onChange: () => this.#changed() });
    this.#drawing = new Drawing(size);
    this.#isPassing = this.#isSameSize;
    this.#notice.forget();
    this.add(content);
  }

  add(output: Uint8Array): void {
    if (!this.#drawing) return;
    const drawn = Buffer.from(this.#drawing.of(output));
    if (drawn.length === 0) return;
    this.#screen?.feed(drawn);
    if (this.#isPassing) this.#notice.pass(drawn);
  }

  /** Tells the person something for a moment: over the last row, or in place of the status line. */
  say(forms: readonly string[]): void {
    this.#notice.show(forms);
  }

  /** The person's terminal was resized. */
  resized(own: TerminalSize): void {
    this.#own = own;
    this.#notice.forget();
    if (!this.#isSameSize) this.#leave();
    else if (!this.#isPassing) void this.#passThrough();
    this.redraw();
  }

  redraw(): void {
    this.#changed();
  }

  /** Resets everything that the agent's program may have changed, and clears what it has drawn. */
  close(): void {
    this.#notice.hide();
    this.#clear();
  }

  #clear(): void {
    clearTimeout(this.#frame);
    this.#frame = undefined;
    this.#leave();
    this.#screen?.dispose();
    this.#screen = undefined;
    this.#drawing = undefined;
  }

  #leave(): void {
    const undo = this.#isPassing ? (this.#drawing?.undo() ?? '') : '';
    this.#isPassing = false;
    this.#write(`${undo}${CLEAR}`);
  }

  /** The sizes match by now: from what is on the screen, it goes on unchanged. */
  async #passThrough(): Promise<void> {
    const screen = this.#screen;
    await screen?.settled();
    if (!screen || screen !== this.#screen || !this.#isSameSize || this.#isPassing) return;
    this.#isPassing = true;
    this.#write(`${CLEAR}${screen.snapshot()}`);
  }

  get #isSameSize(): boolean {
    const size = this.#screen?.size;
    return size?.columns === this.#own.columns && size.rows === this.#own.rows;
  }

  #changed(): void {
    if (this.#isSameSize) return;
    this.#frame ??= setTimeout(() => {
      this.#frame = undefined;
      this.#draw();
    }, FRAME_MS);
  }

  #draw(): void {
    if (!this.#screen || this.#isSameSize) return;
    const { columns, rows } = this.#own;
    const { size, focus } = this.#screen;
    const shown = Math.min(rows - 1, size.rows);
    const first = Math.max(0, Math.min(focus.row - shown + 1, size.rows - shown));
    const left = focus.column < columns ? 0 : Math.min(focus.column + AHEAD_COLUMNS, size.columns) - columns;
    const lines = this.#screen.draw({ first, count: shown, left, columns });
    const drawn = lines.map((line, at) => `\x1b[${at + 1};1H\x1b[2K${line}`);
    const caption = this.#notice.text(columns) ?? this.#caption(columns);
    const status = `\x1b[${shown + 1};1H\x1b[0m\x1b[J\x1b[7m${caption}\x1b[0m`;
    const position = `\x1b[${focus.row - first + 1};${Math.min(focus.column - left + 1, columns)}H`;
    this.#write(`\x1b[?25l\x1b[?7l${drawn.join('')}${status}${position}\x1b[?25h`);
  }
}
