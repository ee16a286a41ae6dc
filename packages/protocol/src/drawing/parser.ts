import { Utf8 } from './utf8.ts';

/** A control sequence: what follows `ESC [`. */
export interface ControlSequence {
  /** One of `<=>?`, or 0. */
  readonly prefix: number;
  /** The characters between the numbers and the last one, a byte each; 0 if there are none. */
  readonly intermediates: number;
  readonly final: number;
  /** The numbers; -1 where one is left out. */
  readonly numbers: Int32Array;
  readonly count: number;
  /** Which numbers belong to the one before (`:` instead of `;`). */
  readonly isPart: Uint8Array;
}

/** What a terminal does with its input. Texts for the terminal, such as titles, are no part of it: they are left out. */
export interface TerminalActions {
  /** Whole characters in UTF-8, none of them a control. */
  print(bytes: Uint8Array, start: number, end: number): void;
  /** A control below 0x20. */
  execute(control: number): void;
  /** `ESC`, intermediate characters, and the last one. */
  escape(intermediates: number, final: number): void;
  /** The sequence is only valid during the call. */
  sequence(sequence: ControlSequence): void;
}

const BEL = 0x07;
const CANCEL = 0x18;
const SUBSTITUTE = 0x1a;
const ESC = 0x1b;
const DELETE = 0x7f;
/** U+0080 to U+009F are a second form of `ESC` and a letter. */
const C1 = 0x80;
const AFTER_C1 = 0xa0;
const C1_TO_LETTER = 0x40;

const letters = (text: string): ReadonlySet<number> => new Set([...text].map((one) => one.charCodeAt(0)));
/** After `ESC`: a text for the terminal that only `ESC`, U+009C or a cancellation ends; `k` is the title of screen. */
const TEXTS = letters('PX^_k');
const COMMAND = 0x5d;
const SEQUENCE = 0x5b;

const MOST_NUMBERS = 32;
/** Larger than any terminal. */
const LARGEST = 9999;
/** Two are the most that mean anything. */
const MOST_INTERMEDIATES = 0xffff;

type State =
  | 'ground'
  | 'escape'
  | 'escapeIntermediate'
  | 'entry'
  | 'numbers'
  | 'intermediate'
  | 'ignored'
  | 'text'
  | 'command';

/**
 * Reads terminal output as terminals do: the state machine of the VT500 (Paul Williams, vt100.net/emu/dec_ansi_parser), behind
 * a UTF-8 decoder, as in xterm. Controls inside a sequence take effect at once and do not end it. Anything may be split
 * between chunks; however long a sequence is, it takes no memory.
 */
export class TerminalParser {
  readonly #actions: TerminalActions;
  readonly #utf8: Utf8;
  #state: State = 'ground';
  readonly #sequence = {
    prefix: 0,
    intermediates: 0,
    final: 0,
    numbers: new Int32Array(MOST_NUMBERS),
    count: 0,
    isPart: new Uint8Array(MOST_NUMBERS),
  };
  /** There are more numbers than are kept. */
  #isFull = false;

  constructor(actions: TerminalActions) {
    this.#actions = actions;
    this.#utf8 = new Utf8(
      (code, bytes, length) => this.#character(code, bytes, length),
      (bytes, length) => {
        if (this.#state === 'ground') this.#actions.print(bytes, 0, length);
      },
    );
  }

  parse(bytes: Uint8Array): void {
    const { length } = bytes;
    for (let at = 0; at < length; ) {
      if ((bytes[at] ?? 0) < 0x80) this.#utf8.end();
      if (this.#state === 'ground' && !this.#utf8.isInside) {
        const end = this.#utf8.endOfText(bytes, at);
        if (end > at) this.#actions.print(bytes, at, end);
        at = end;
        if (at === length) return;
      }
      const byte = bytes[at++] ?? 0;
      if (byte < 0x80) this.#take(byte);
      else this.#utf8.take(byte);
    }
  }

  #take(byte: number): void {
    if (byte === ESC) this.#begin('escape');
    else if (byte === CANCEL || byte === SUBSTITUTE) this.#state = 'ground';
    else if (this.#state === 'text' || this.#state === 'command') {
      if (byte === BEL && this.#state === 'command') this.#state = 'ground';
    } else if (byte < 0x20) this.#actions.execute(byte);
    else if (byte !== DELETE) this.#takeLetter(byte);
  }

  #takeLetter(byte: number): void {
    switch (this.#state) {
      case 'escape':
        this.#inEscape(byte);
        return;
      case 'escapeIntermediate':
        if (byte < 0x30) this.#collect(byte);
        else this.#endEscape(byte);
        return;
      case 'entry':
        if (byte >= 0x3c && byte < 0x40) {
          this.#sequence.prefix = byte;
          this.#state = 'numbers';
        } else this.#inNumbers(byte);
        return;
      case 'numbers':
        this.#inNumbers(byte);
        return;
      case 'intermediate':
        if (byte < 0x30) this.#collect(byte);
        else if (byte < 0x40) this.#state = 'ignored';
        else this.#endSequence(byte);
        return;
      case 'ignored':
        if (byte >= 0x40) this.#state = 'ground';
    }
  }

  #inEscape(byte: number): void {
    if (byte < 0x30) {
      this.#state = 'escapeIntermediate';
      this.#collect(byte);
    } else if (byte === SEQUENCE) this.#begin('entry');
    else if (byte === COMMAND) this.#state = 'command';
    else if (TEXTS.has(byte)) this.#state = 'text';
    else this.#endEscape(byte);
  }

  #inNumbers(byte: number): void {
    if (byte >= 0x40) this.#endSequence(byte);
    else if (byte < 0x30) {
      this.#state = 'intermediate';
      this.#collect(byte);
    } else if (byte < 0x3a) this.#addDigit(byte - 0x30);
    else if (byte < 0x3c) this.#addNumber(byte === 0x3a);
    else this.#state = 'ignored';
  }

  #addDigit(digit: number): void {
    const sequence = this.#sequence;
    this.#state = 'numbers';
    if (this.#isFull) return;
    if (sequence.count === 0) this.#begunNumber(0);
    const last = sequence.count - 1;
    const before = Math.max(0, sequence.numbers[last] ?? 0);
    sequence.numbers[last] = Math.min(LARGEST, before * 10 + digit);
  }

  #addNumber(isPart: boolean): void {
    const sequence = this.#sequence;
    this.#state = 'numbers';
    if (sequence.count === 0) this.#begunNumber(0);
    this.#isFull ||= sequence.count === MOST_NUMBERS;
    if (!this.#isFull) this.#begunNumber(Number(isPart));
  }

  #begunNumber(isPart: number): void {
    const { numbers, isPart: parts, count } = this.#sequence;
    numbers[count] = -1;
    parts[count] = isPart;
    this.#sequence.count++;
  }

  #collect(byte: number): void {
    const { intermediates } = this.#sequence;
    this.#sequence.intermediates = Math.min((intermediates << 8) | byte, MOST_INTERMEDIATES + 1);
  }

  #begin(state: 'escape' | 'entry'): void {
    this.#state = state;
    this.#isFull = false;
    this.#sequence.prefix = 0;
    this.#sequence.intermediates = 0;
    this.#sequence.count = 0;
  }

  #endEscape(final: number): void {
    this.#state = 'ground';
    this.#actions.escape(this.#sequence.intermediates, final);
  }

  #endSequence(final: number): void {
    this.#state = 'ground';
    this.#sequence.final = final;
    this.#actions.sequence(this.#sequence);
  }

  /** A character of several bytes. In a sequence it ends it, and is lost. */
  #character(code: number, bytes: Uint8Array, length: number): void {
    if (code >= C1 && code < AFTER_C1) {
      this.#begin('escape');
      this.#inEscape(code - C1_TO_LETTER);
    } else if (this.#state === 'ground') this.#actions.print(bytes, 0, length);
    else if (this.#state !== 'text' && this.#state !== 'command' && this.#state !== 'ignored')
      this.#state = 'ground';
  }
}
