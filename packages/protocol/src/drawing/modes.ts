import { KeyboardStack } from './keyboard-stack.ts';

type Kind = 'ansi' | 'private';

const INSERT = 4;
const ORIGIN = 6;
const CURSOR = 25;
const KEYPAD = 66;
const SYNCHRONIZED = 2026;
const ALTERNATE: ReadonlySet<number> = new Set([47, 1047, 1049]);
const SAVE_CURSOR = 1048;

/**
 * The modes that a program may switch in the terminal of somebody else: how things are drawn, and which keys and reports the
 * program gets. All of them are reset when the viewer leaves.
 */
const SHARED: Readonly<Record<Kind, ReadonlySet<number>>> = {
  ansi: new Set([INSERT]),
  private: new Set([
    // Application cursor keys, reverse video, origin, wrapping, the cursor, wrapping backwards, application keypad.
    ...[1, 5, ORIGIN, 7, CURSOR, 45, KEYPAD],
    // Mouse, focus, and how the mouse is reported.
    ...[1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016],
    // Bracketed paste, and pictures drawn at once.
    ...[2004, SYNCHRONIZED],
    ...[...ALTERNATE, SAVE_CURSOR],
  ]),
};
/** Modes that are on at first. */
const ON_AT_FIRST: Readonly<Record<Kind, ReadonlySet<number>>> = {
  ansi: new Set([12]),
  private: new Set([7, 8, CURSOR]),
};
/** What a soft reset (DECSTR) switches back. */
const SOFT: Readonly<Record<Kind, readonly number[]>> = {
  ansi: [2, INSERT],
  private: [1, ORIGIN, CURSOR, KEYPAD],
};
/** Shared modes that the picture of a screen brings along, or that end with it. */
const IN_PICTURE: ReadonlySet<number> = new Set([ORIGIN, 7, SYNCHRONIZED]);
const LARGEST = 9999;

/** Whether a program may switch this mode in a viewer's terminal. */
export const isShared = (kind: Kind, mode: number): boolean => SHARED[kind].has(mode);

/** The sequence that switches a mode. The old form for the keypad is the one that all terminals know. */
export function switching(kind: Kind, mode: number, isOn: boolean): string {
  if (kind === 'private' && mode === KEYPAD) return isOn ? '\x1b=' : '\x1b>';
  return `\x1b[${kind === 'private' ? '?' : ''}${mode}${isOn ? 'h' : 'l'}`;
}

/** The usual character sets: all of the terminal, the first, and the second, which is also shifted out. */
const USUAL_CHARACTERS = { '%': '\x1b%G', '(': '\x1b(B', ')': '\x1b)B\x0f' } as const;
export type CharacterSetPlace = keyof typeof USUAL_CHARACTERS;

const RESET_REGION = '\x1b[r';
const RESET_STYLE = '\x1b[0m';

/** What a program has changed in a terminal besides its picture, and how that is reset. */
export class Modes {
  readonly #switched: Readonly<Record<Kind, Set<number>>> = { ansi: new Set(), private: new Set() };
  /** Terminals have one for each of their two screens. */
  #keyboards = { normal: new KeyboardStack(), alternate: new KeyboardStack() };
  #alternate: number | undefined;
  #hasModifiedKeys = false;
  #cursorStyle = 0;
  #hasRegion = false;
  /** Where another character set was chosen, by the letter after `ESC`. */
  readonly #characterSets = new Set<CharacterSetPlace>();
  #isStyled = false;

  get isCursorVisible(): boolean {
    return !this.#switched.private.has(CURSOR);
  }

  switch(kind: Kind, mode: number, isOn: boolean): void {
    if (mode > LARGEST || (kind === 'private' && mode === SAVE_CURSOR)) return;
    if (kind === 'private' && ALTERNATE.has(mode))
      this.#alternate = isOn ? (this.#alternate ?? mode) : undefined;
    else if (isOn === ON_AT_FIRST[kind].has(mode)) this.#switched[kind].delete(mode);
    else this.#switched[kind].add(mode);
  }

  keypad(isOn: boolean): void {
    this.switch('private', KEYPAD, isOn);
  }

  /** The extended keyboard of the screen that is shown. */
  get keyboard(): KeyboardStack {
    return this.#alternate === undefined ? this.#keyboards.normal : this.#keyboards.alternate;
  }

  /** The other form of an extended keyboard (modifyOtherKeys). */
  modifiedKeys(isOn: boolean): void {
    this.#hasModifiedKeys = isOn;
  }

  cursorStyle(style: number): void {
    this.#cursorStyle = style;
  }

  region(isWhole: boolean): void {
    this.#hasRegion = !isWhole;
  }

  characterSet(place: CharacterSetPlace, isUsual: boolean): void {
    if (isUsual) this.#characterSets.delete(place);
    else this.#characterSets.add(place);
  }

  style(isPlain: boolean): void {
    this.#isStyled = !isPlain;
  }

  softReset(): void {
    for (const kind of ['ansi', 'private'] as const)
      for (const mode of SOFT[kind]) this.#switched[kind].delete(mode);
    this.#hasRegion = false;
    this.#isStyled = false;
  }

  /** Everything is as at first: it was reset. */
  reset(): void {
    for (const switched of Object.values(this.#switched)) switched.clear();
    this.#keyboards = { normal: new KeyboardStack(), alternate: new KeyboardStack() };
    this.#alternate = undefined;
    this.#hasModifiedKeys = false;
    this.#cursorStyle = 0;
    this.#characterSets.clear();
    this.#hasRegion = false;
    this.#isStyled = false;
  }

  /** What the program has changed, in another terminal that has its picture. */
  redo(): string {
    const modes = [...this.#switched.private].filter(
      (mode) => isShared('private', mode) && !IN_PICTURE.has(mode),
    );
    return [
      ...modes.map((mode) => switching('private', mode, !ON_AT_FIRST.private.has(mode))),
      this.keyboard.redo(),
      this.#hasModifiedKeys ? '\x1b[>4;1m' : '',
      this.#cursorStyle > 0 ? `\x1b[${this.#cursorStyle} q` : '',
    ].join('');
  }

  /** Resets what the program has changed, and nothing else. */
  undo(): string {
    const modes = (['ansi', 'private'] as const).flatMap((kind) =>
      [...this.#switched[kind]].map((mode) => switching(kind, mode, ON_AT_FIRST[kind].has(mode))),
    );
    // Setting a region moves the cursor.
    const region = this.#hasRegion ? `\x1b7${RESET_REGION}\x1b8` : '';
    const characters = [...this.#characterSets].map((place) => USUAL_CHARACTERS[place]).join('');
    const undone = `${this.#undoStacked()}${modes.join('')}${region}${characters}`;
    return this.#isStyled || undone !== '' ? `${undone}${RESET_STYLE}` : '';
  }

  /** Resets every shared mode: for a terminal whose picture is cleared afterwards. */
  undoShared(): string {
    const stacked = this.#undoStacked();
    const modes = (['ansi', 'private'] as const).flatMap((kind) =>
      [...SHARED[kind]]
        .filter((mode) => kind === 'ansi' || (mode !== SAVE_CURSOR && !ALTERNATE.has(mode)))
        .map((mode) => switching(kind, mode, ON_AT_FIRST[kind].has(mode))),
    );
    return `${stacked}${modes.join('')}${RESET_REGION}${RESET_STYLE}`;
  }

  /** What must be reset only if it was set, because something else may lie below it, and in this order. */
  #undoStacked(): string {
    const keyboard = this.#alternate === undefined ? '' : this.#keyboards.alternate.undo();
    const screen = this.#alternate === undefined ? '' : switching('private', this.#alternate, false);
    const keys = this.#hasModifiedKeys ? '\x1b[>4;0m' : '';
    const cursor = this.#cursorStyle > 0 ? '\x1b[0 q' : '';
    return `${keyboard}${screen}${this.#keyboards.normal.undo()}${keys}${cursor}`;
  }
}
