/** U+FFFD, as terminals show what is not UTF-8. */
const REPLACEMENT = Uint8Array.of(0xef, 0xbf, 0xbd);
const LEAST_BEYOND_C1 = 0xa0;

/** Takes a character: its code, and its bytes, which are only valid during the call. */
type TakeCharacter = (code: number, bytes: Uint8Array, length: number) => void;

/**
 * Decodes UTF-8 a byte at a time. Bytes that are none (stray, overlong, surrogates, cut short) give one replacement for
 * each longest part that could begin a character.
 */
export class Utf8 {
  readonly #onCharacter: TakeCharacter;
  readonly #onInvalid: (bytes: Uint8Array, length: number) => void;
  readonly #bytes = new Uint8Array(4);
  #length = 0;
  #missing = 0;
  #code = 0;
  /** What the next byte may be. */
  #least = 0x80;
  #most = 0xbf;

  constructor(onCharacter: TakeCharacter, onInvalid: (bytes: Uint8Array, length: number) => void) {
    this.#onCharacter = onCharacter;
    this.#onInvalid = onInvalid;
  }

  /** Whether a character has begun that is not complete. */
  get isInside(): boolean {
    return this.#missing > 0;
  }

  /** Where the printable characters that begin at `from` end: at a control, or at what has to be taken a byte at a time. */
  endOfText(bytes: Uint8Array, from: number): number {
    const { length } = bytes;
    let at = from;
    while (at < length) {
      const byte = bytes[at] ?? 0;
      if (byte < 0x7f) {
        if (byte < 0x20) break;
        at++;
      } else {
        const taken = wholeCharacter(bytes, at);
        if (taken === 0) break;
        at += taken;
      }
    }
    return at;
  }

  /** Takes a byte from 0x80 on. */
  take(byte: number): void {
    const isNext = this.#missing > 0 && byte >= this.#least && byte <= this.#most;
    if (!isNext) {
      this.end();
      this.#begin(byte);
      return;
    }
    this.#add(byte, 6);
    this.#least = 0x80;
    this.#most = 0xbf;
    if (--this.#missing === 0) this.#onCharacter(this.#code, this.#bytes, this.#length);
  }

  /** Something else follows: what has begun stays incomplete. */
  end(): void {
    if (this.#missing === 0) return;
    this.#missing = 0;
    this.#onInvalid(REPLACEMENT, REPLACEMENT.length);
  }

  #begin(byte: number): void {
    if (byte < 0xc2 || byte > 0xf4) {
      this.#onInvalid(REPLACEMENT, REPLACEMENT.length);
      return;
    }
    this.#missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    this.#least = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80;
    this.#most = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf;
    this.#length = 0;
    this.#code = 0;
    this.#add(byte, 6 - this.#missing);
  }

  #add(byte: number, bits: number): void {
    this.#bytes[this.#length++] = byte;
    this.#code = (this.#code << 6) | (byte & ((1 << bits) - 1));
  }
}

/** The length of the character at a place, if all of it is there, it is valid and no control; else 0. */
function wholeCharacter(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  // A byte that is missing counts as invalid.
  const second = bytes[at + 1] ?? 0;
  if (first < 0xc2 || !isFollowing(second)) return 0;
  if (first < 0xe0) return first === 0xc2 && second < LEAST_BEYOND_C1 ? 0 : 2;
  if (!isFollowing(bytes[at + 2] ?? 0)) return 0;
  if (first < 0xf0) return (first === 0xe0 && second < 0xa0) || (first === 0xed && second >= 0xa0) ? 0 : 3;
  if (!isFollowing(bytes[at + 3] ?? 0)) return 0;
  return first > 0xf4 || (first === 0xf0 && second < 0x90) || (first === 0xf4 && second >= 0x90) ? 0 : 4;
}

const isFollowing = (byte: number): boolean => (byte & 0xc0) === 0x80;
