/** More than any program needs; terminals keep about as many. */
const MOST = 16;
const ALL_FLAGS = 31;
const ADDS = 2;
const REMOVES = 3;

/** The extended keyboard (kitty's protocol) of one screen: programs stack their wishes, each a set of flags. */
export class KeyboardStack {
  /** What is below all of them: the terminal's own flags, which a program can also change. */
  #base = 0;
  #stack: number[] = [];

  /** Each change returns the sequence that makes it, or nothing if it must not be made. */
  push(flags: number): string {
    if (this.#stack.length === MOST) return '';
    this.#stack.push(flags & ALL_FLAGS);
    return `\x1b[>${flags & ALL_FLAGS}u`;
  }

  /** Only what was pushed here: the entries below belong to whoever started this. */
  pop(count: number): string {
    const popped = Math.min(Math.max(1, count), this.#stack.length);
    this.#stack.length -= popped;
    return popped === 0 ? '' : `\x1b[<${popped}u`;
  }

  set(flags: number, how: number): string {
    const before = this.#stack.at(-1) ?? this.#base;
    const given = flags & ALL_FLAGS;
    const after = how === ADDS ? before | given : how === REMOVES ? before & ~given : given;
    if (this.#stack.length === 0) this.#base = after;
    else this.#stack[this.#stack.length - 1] = after;
    return `\x1b[=${after}u`;
  }

  redo(): string {
    const base = this.#base === 0 ? '' : `\x1b[=${this.#base}u`;
    return `${base}${this.#stack.map((flags) => `\x1b[>${flags}u`).join('')}`;
  }

  undo(): string {
    const popped = this.#stack.length === 0 ? '' : `\x1b[<${this.#stack.length}u`;
    return `${popped}${this.#base === 0 ? '' : '\x1b[=0u'}`;
  }
}
