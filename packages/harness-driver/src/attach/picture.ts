import { Screen } from '../screen/screen.ts';
import type { TerminalSize } from '../terminal/person-terminal.ts';

/** A frame is drawn at most so often where the terminal has another size. */
const FRAME_MS = 30;

/**
 * An agent's terminal in the person's terminal. Of the same size, it is shown as it comes. Otherwise its screen is drawn
 * in the corner, cut where there is no room, with a line below that says what it is.
 */
export class Picture {
  readonly #write: (text: string | Uint8Array) => void;
  readonly #caption: () => string;
  #own: TerminalSize;
  #screen: Screen | undefined;
  #frame: NodeJS.Timeout | undefined;

  constructor(own: TerminalSize, write: (text: string | Uint8Array) => void, caption: () => string) {
    this.#own = own;
    this.#write = write;
    this.#caption = caption;
  }

  /** The terminal as it is now; what was shown before is void. */
  begin(content: Uint8Array, size: TerminalSize): void {
    this.clear();
    this.#screen = new Screen({ ...size, onChange: () => this.#changed() });
    this.add(content);
  }

  add(output: Uint8Array): void {
    this.#screen?.feed(Buffer.from(output));
    if (this.#isSameSize) this.#write(output);
  }

  /** The person's terminal has another size now. */
  resized(own: TerminalSize): void {
    this.#own = own;
    this.redraw();
  }

  redraw(): void {
    if (!this.#isSameSize) this.#changed();
  }

  /** Takes back the modes that the agent's program has switched, and what it has drawn. */
  clear(): void {
    clearTimeout(this.#frame);
    this.#frame = undefined;
    const undo = this.#isSameSize ? (this.#screen?.undoModes() ?? '') : '';
    this.#screen?.dispose();
    this.#screen = undefined;
    this.#write(`${undo}\x1b[?7h\x1b[?25h\x1b[0m\x1b[H\x1b[2J`);
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
    const room = rows - 1;
    const shown = Math.min(room, this.#screen.size.rows);
    const { row, column } = this.#screen.cursor;
    // The cursor is always to be seen.
    const first = Math.max(0, Math.min(row - shown + 1, this.#screen.size.rows - shown));
    const lines = this.#screen.draw(first, shown, columns);
    const drawn = lines.map((line, at) => `\x1b[${at + 1};1H${line}\x1b[K`);
    const caption = `\x1b[${shown + 1};1H\x1b[7m${this.#caption().slice(0, columns)}\x1b[0m\x1b[J`;
    const cursor = `\x1b[${row - first + 1};${Math.min(column + 1, columns)}H`;
    this.#write(`\x1b[?25l\x1b[?7l${drawn.join('')}${caption}${cursor}\x1b[?25h`);
  }
}
