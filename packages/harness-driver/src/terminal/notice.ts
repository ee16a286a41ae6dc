import type { Screen } from '../screen/screen.ts';

/** How long a notice stays. */
const SHOWN_MS = 6000;
/** No notice is drawn until the program has not written for this long. */
const QUIET_MS = 25;

/**
 * A line for the person at the edge of a terminal on which a program draws. It is there for some seconds, and it is taken away
 * before anything else is written: the program's picture, scrollback and cursor stay as they are.
 */
export class Notice {
  readonly #write: (text: string | Uint8Array) => void;
  readonly #screen: () => Screen | undefined;
  /** Called when there is another notice, or none any more. */
  onChange: () => void = () => undefined;
  #forms: readonly string[] | undefined;
  #drawn: { row: number; covered: string } | undefined;
  #end: NodeJS.Timeout | undefined;
  #next: NodeJS.Timeout | undefined;

  /** `screen` is what the program has drawn on this terminal; without one, nothing is drawn over. */
  constructor(write: (text: string | Uint8Array) => void, screen: () => Screen | undefined) {
    this.#write = write;
    this.#screen = screen;
  }

  /** Shows the longest form that fits. */
  show(forms: readonly string[]): void {
    this.hide();
    this.#forms = forms;
    this.#end = setTimeout(() => this.hide(), SHOWN_MS);
    this.#draw();
    this.onChange();
  }

  hide(): void {
    clearTimeout(this.#end);
    clearTimeout(this.#next);
    const taken = this.#takeAway();
    if (taken !== '') this.#write(taken);
    if (this.#forms === undefined) return;
    this.#forms = undefined;
    this.onChange();
  }

  /** Everything is drawn anew. */
  forget(): void {
    this.#drawn = undefined;
    this.#drawSoon();
  }

  /** The notice, to be drawn elsewhere. */
  text(columns: number): string | undefined {
    return this.#forms && fitting(this.#forms, columns);
  }

  /** What the program writes, on its way to the terminal. */
  pass(output: Uint8Array): void {
    if (this.#drawn) this.#write(this.#takeAway());
    this.#write(output);
    this.#drawSoon();
  }

  #drawSoon(): void {
    if (this.#forms === undefined) return;
    clearTimeout(this.#next);
    this.#next = setTimeout(() => this.#draw(), QUIET_MS);
  }

  #draw(): void {
    const screen = this.#screen();
    if (!screen || this.#forms === undefined || this.#drawn) return;
    if (screen.isBehind) {
      this.#drawSoon();
      return;
    }
    const { columns, rows } = screen.size;
    // Never where the person types.
    const row = screen.cursor.row === rows - 1 ? 1 : rows;
    const [covered = ''] = screen.draw({ first: row - 1, count: 1, columns });
    this.#drawn = { row, covered };
    this.#write(inRow(row, screen.hasOrigin, `\x1b[7m${fitting(this.#forms, columns)}\x1b[0m`));
  }

  #takeAway(): string {
    if (!this.#drawn) return '';
    const { row, covered } = this.#drawn;
    this.#drawn = undefined;
    return inRow(row, this.#screen()?.hasOrigin ?? false, covered);
  }
}

/** Writes a row and leaves cursor, colours and modes as they were. Not every terminal restores the origin with the cursor. */
function inRow(row: number, hasOrigin: boolean, text: string): string {
  return `\x1b7\x1b[?6l\x1b[0m\x1b[${row};1H\x1b[2K${text}${hasOrigin ? '\x1b[?6h' : ''}\x1b8`;
}

/** The first form that fits, else as much of the last one as does. */
export function fitting(forms: readonly string[], columns: number): string {
  return forms.find(({ length }) => length <= columns) ?? (forms.at(-1) ?? '').slice(0, columns);
}
