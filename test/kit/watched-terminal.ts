import xterm from '@xterm/headless';
import { drawRows } from '../../packages/harness-driver/src/screen/draw-rows.ts';

const SIZE = { columns: 80, rows: 24 };
/** Far more than there are. */
const COMMANDS = 2000;

/** Every mode that the emulator can be asked for, those that a viewed program must not switch included. */
const ANSI_MODES = [2, 4, 12, 20];
const PRIVATE_MODES = [
  ...[1, 3, 6, 7, 8, 9, 12, 25, 45, 47, 66, 67],
  ...[1000, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1016, 1049, 2004, 2026, 2031, 2048],
];
/** The modes, the scroll region, and the shape of the cursor. */
const ASK_MODES = [
  ...ANSI_MODES.map((mode) => `\x1b[${mode}$p`),
  ...PRIVATE_MODES.map((mode) => `\x1b[?${mode}$p`),
  '\x1bP$qr\x1b\\\x1bP$q q\x1b\\',
].join('');
const RESTART = '\x18\x1bc';
/** A letter that is a line in other character sets, in the first cell. */
const LETTER = '\x1b[Hq';

/** What a terminal consists of when only listed sequences are drawn. Written apart from the filter. */
const LISTED = new RegExp(
  [
    '[^\\u0000-\\u001f\\u007f-\\u009f]',
    '[\\u0007-\\u000d]',
    '\\u001b[78DEM=>]',
    '\\u001b\\[\\d{0,4}[@ABCDEFGILMPSTXZ`abde]',
    '\\u001b\\[[012]?[JK]',
    '\\u001b\\[\\d{0,4}(;\\d{0,4})?[Hfr]',
    '\\u001b\\[[su]',
    '\\u001b\\[[\\d;:]*m',
    '\\u001b\\[!p',
    '\\u001b\\[[0-6] q',
    '\\u001b\\[4[hl]',
    '\\u001b\\[\\?(1|5|6|7|25|45|47|1000|1002|1003|1004|1005|1006|1015|1016|1047|1048|1049|2004|2026)[hl]',
    '\\u001b\\[[<=>]\\d{1,2}u',
    '\\u001b\\[>4;[0-3]m',
  ].join('|'),
  'gu',
);

/** The first part of an output that is not listed. */
export const unlisted = (output: Uint8Array): string =>
  Buffer.from(output).toString().replace(LISTED, '').slice(0, 40);

/** A terminal that notices everything besides drawing: titles, links, the clipboard, colours, answers, modes. */
export class WatchedTerminal {
  readonly #emulator = new xterm.Terminal({
    cols: SIZE.columns,
    rows: SIZE.rows,
    scrollback: 0,
    allowProposedApi: true,
    logLevel: 'off',
  });
  #noticed: string[] = [];

  constructor() {
    const note = (what: string) => () => {
      this.#noticed.push(what);
      return false;
    };
    const { parser } = this.#emulator;
    this.#emulator.onData((answer) => this.#noticed.push(answer));
    this.#emulator.onBinary((answer) => this.#noticed.push(answer));
    this.#emulator.onTitleChange(note('a title'));
    this.#emulator.onResize(note('another size'));
    for (let command = 0; command < COMMANDS; command++)
      parser.registerOscHandler(command, note(`command ${command}`));
  }

  static get size(): { columns: number; rows: number } {
    return SIZE;
  }

  /** What it notices besides drawing, if it gets nothing else. */
  async noticed(output: Uint8Array): Promise<string[]> {
    this.#write(output);
    return await this.#told(RESTART);
  }

  /** Throws if this does more than draw, or if anything remains after `undo`. */
  async examine(drawn: readonly Uint8Array[], undo: string): Promise<void> {
    for (const output of drawn) this.#write(output);
    const events = this.#told('\x18');
    this.#write(undo);
    const modes = this.#told(ASK_MODES);
    const letter = this.#after(LETTER, () => this.#emulator.buffer.active.getLine(0)?.getCell(0)?.getChars());
    this.#write(RESTART);
    const seen = { events: await events, modes: await modes, letter: await letter };
    const wanted = { events: [], modes: await answersAtFirst(), letter: 'q' };
    if (JSON.stringify(seen) !== JSON.stringify(wanted))
      throw new Error(`A terminal showed ${JSON.stringify(seen)} instead of ${JSON.stringify(wanted)}.`);
  }

  /** The rows as they look, with the cursor; then it is as at first. */
  async picture(output: Uint8Array): Promise<string[]> {
    this.#write(output);
    const picture = this.#after('\x18', () => {
      const rows = drawRows(this.#emulator, { first: 0, count: SIZE.rows, columns: SIZE.columns });
      const { cursorX, cursorY } = this.#emulator.buffer.active;
      return [...rows, `${cursorY}:${cursorX}`];
    });
    this.#write(RESTART);
    return await picture;
  }

  /** What it answers when it is asked for its modes. */
  async answers(): Promise<string[]> {
    return await this.#told(ASK_MODES);
  }

  #write(output: Uint8Array | string): void {
    this.#emulator.write(output);
  }

  /** Writes, and resolves with what was noticed since the last time. */
  #told(output: string): Promise<string[]> {
    return this.#after(output, () => this.#noticed.splice(0));
  }

  /** Writes, and looks before anything else is written. */
  #after<T>(output: string, look: () => T): Promise<T> {
    return new Promise((resolve) => this.#emulator.write(output, () => resolve(look())));
  }
}

let known: ReturnType<WatchedTerminal['answers']> | undefined;
const answersAtFirst = () => {
  known ??= new WatchedTerminal().answers();
  return known;
};
