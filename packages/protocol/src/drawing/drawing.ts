import { ByteWriter } from './byte-writer.ts';
import { CharacterSets } from './character-sets.ts';
import { isShared, Modes, switching } from './modes.ts';
import { type ControlSequence, type TerminalActions, TerminalParser } from './parser.ts';
import { writeStyle } from './style.ts';

const code = (letter: string): number => letter.charCodeAt(0);
const codes = (letters: string): ReadonlySet<number> => new Set([...letters].map(code));

/** Bell, backspace, tab, line feeds, carriage return. */
const FIRST_CONTROL = 0x07;
const LAST_CONTROL = 0x0d;
const SHIFT_OUT = 0x0e;
const SHIFT_IN = 0x0f;

/** Sequences that move, scroll, insert, delete and erase, and how many numbers they have at most. */
const DRAWS: ReadonlyMap<number, number> = new Map(
  [['@ABCDEFGIJKLMPSTXZ`abde', 1] as const, ['Hfr', 2] as const, ['su', 0] as const].flatMap(
    ([letters, most]) => [...letters].map((letter) => [code(letter), most] as const),
  ),
);
/** These repeat something: no more often than can be seen. */
const BY_ROW = codes('LMST');
const BY_COLUMN = codes('@PXIZb');
const ERASES = codes('JK');
/** 3 would erase what the viewer had on their screen earlier. */
const LARGEST_ERASED = 2;

/** After `ESC`: save and restore the cursor, index, next line, reverse index, keypad. */
const ESCAPES = codes('78DEM=>');
const NONE = 0;
const PRIVATE = code('?');
const MODIFIED_KEYS = 4;
const MOST_MODIFIED_KEYS = 3;
const MOST_CURSOR_STYLE = 6;
const SAVES_CURSOR: ReadonlySet<number> = new Set([1048, 1049]);

/**
 * Lets the output of a program draw in another terminal, and do nothing else there: the viewer did not start the program, and it
 * may run on another machine. The output is parsed, and only what is listed here is written again, in its plainest form. So a
 * terminal reads what was read here, and cannot be led to anything else.
 */
export class Drawing {
  readonly #parser: TerminalParser;
  readonly #written = new ByteWriter();
  readonly #characterSets = new CharacterSets();
  readonly #modes = new Modes();
  readonly #size: { columns: number; rows: number };

  /** The size of the program's terminal. */
  constructor(size: { columns: number; rows: number }) {
    this.#size = size;
    const actions: TerminalActions = {
      print: (bytes, start, end) => {
        if (this.#characterSets.isLineDrawing)
          this.#characterSets.drawLines(this.#written, bytes, start, end);
        else this.#written.part(bytes, start, end);
      },
      execute: (control) => this.#execute(control),
      escape: (intermediates, final) => this.#escape(intermediates, final),
      sequence: (sequence) => this.#sequence(sequence),
    };
    this.#parser = new TerminalParser(actions);
  }

  /** What is drawn by a piece of output, which may begin and end anywhere. */
  of(output: Uint8Array): Uint8Array {
    this.#parser.parse(output);
    return this.#written.take();
  }

  /** Resets everything that can have come through, for a terminal that is cleared afterwards. */
  undo(): string {
    return this.#modes.undoShared();
  }

  #execute(control: number): void {
    if (control >= FIRST_CONTROL && control <= LAST_CONTROL) this.#written.byte(control);
    else if (control === SHIFT_OUT) this.#characterSets.shift(1);
    else if (control === SHIFT_IN) this.#characterSets.shift(0);
  }

  #escape(intermediates: number, final: number): void {
    if (intermediates === code('(')) this.#characterSets.designate(0, final);
    else if (intermediates === code(')')) this.#characterSets.designate(1, final);
    else if (intermediates === NONE) this.#plainEscape(final);
  }

  #plainEscape(final: number): void {
    if (final === code('c')) this.#reset();
    if (!ESCAPES.has(final)) return;
    if (final === code('7')) this.#characterSets.save();
    else if (final === code('8')) this.#characterSets.restore();
    else if (final === code('=') || final === code('>')) this.#modes.keypad(final === code('='));
    this.#written.byte(0x1b);
    this.#written.byte(final);
  }

  /** The program resets its terminal: what the viewer had on theirs stays. */
  #reset(): void {
    this.#characterSets.reset();
    this.#written.ascii(`${this.#modes.undoShared()}\x1b[H\x1b[2J`);
    this.#modes.reset();
  }

  #sequence(sequence: ControlSequence): void {
    const { prefix, intermediates, final } = sequence;
    if (intermediates === NONE) {
      if (final === code('m') && prefix === NONE) writeStyle(this.#written, sequence);
      else if (hasParts(sequence)) return;
      else if (final === code('h') || final === code('l')) this.#switch(sequence);
      else if (prefix === NONE) this.#draw(sequence);
      else if (final === code('u')) this.#written.ascii(this.#keyboard(sequence));
      else if (final === code('m') && prefix === code('>')) this.#modifyKeys(sequence);
    } else if (prefix === NONE && !hasParts(sequence)) {
      if (intermediates === code(' ') && final === code('q')) this.#styleCursor(sequence);
      else if (intermediates === code('!') && final === code('p')) this.#softReset();
    }
  }

  #draw(sequence: ControlSequence): void {
    const { final, numbers, count } = sequence;
    const most = DRAWS.get(final);
    if (most === undefined || count > most) return;
    if (ERASES.has(final) && numberAt(sequence, 0) > LARGEST_ERASED) return;
    if (final === code('s')) this.#characterSets.save();
    else if (final === code('u')) this.#characterSets.restore();
    const { columns, rows } = this.#size;
    const limit = BY_ROW.has(final) ? rows : BY_COLUMN.has(final) ? columns : Number.POSITIVE_INFINITY;
    this.#written.ascii('\x1b[');
    for (let at = 0; at < count; at++) {
      if (at > 0) this.#written.byte(code(';'));
      const number = numbers[at] ?? -1;
      if (number >= 0) this.#written.decimal(Math.min(number, limit));
    }
    this.#written.byte(final);
  }

  #switch({ prefix, final, numbers, count }: ControlSequence): void {
    if (prefix !== NONE && prefix !== PRIVATE) return;
    const kind = prefix === PRIVATE ? 'private' : 'ansi';
    const isOn = final === code('h');
    for (let at = 0; at < count; at++) {
      const mode = numbers[at] ?? -1;
      if (!isShared(kind, mode)) continue;
      this.#modes.switch(kind, mode, isOn);
      if (SAVES_CURSOR.has(mode)) {
        if (isOn) this.#characterSets.save();
        else this.#characterSets.restore();
      }
      this.#written.ascii(switching(kind, mode, isOn));
    }
  }

  #keyboard(sequence: ControlSequence): string {
    const { keyboard } = this.#modes;
    const [first, second] = [numberAt(sequence, 0), numberAt(sequence, 1)];
    if (sequence.prefix === code('>')) return keyboard.push(first);
    if (sequence.prefix === code('<')) return keyboard.pop(first);
    return sequence.prefix === code('=') ? keyboard.set(first, second) : '';
  }

  #modifyKeys(sequence: ControlSequence): void {
    const level = numberAt(sequence, 1);
    if (numberAt(sequence, 0) !== MODIFIED_KEYS || level > MOST_MODIFIED_KEYS) return;
    this.#modes.modifiedKeys(level > 0);
    this.#written.ascii(`\x1b[>${MODIFIED_KEYS};${level}m`);
  }

  #styleCursor(sequence: ControlSequence): void {
    const style = numberAt(sequence, 0);
    if (style > MOST_CURSOR_STYLE) return;
    this.#modes.cursorStyle(style);
    this.#written.ascii(`\x1b[${style} q`);
  }

  #softReset(): void {
    this.#modes.softReset();
    this.#characterSets.reset();
    this.#written.ascii('\x1b[!p');
  }
}

const numberAt = ({ numbers, count }: ControlSequence, at: number): number =>
  at < count ? Math.max(0, numbers[at] ?? 0) : 0;

function hasParts({ isPart, count }: ControlSequence): boolean {
  for (let at = 0; at < count; at++) if (isPart[at] === 1) return true;
  return false;
}
