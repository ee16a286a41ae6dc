const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** How much of an oversized line is kept at each end: enough to find the id of the answer. */
const KEPT = 512;

export interface LineEvents {
  /** A line without its line end; it may share memory with the input chunks. */
  line(bytes: Buffer): void;
  /** A line was longer than allowed and was dropped, except for its head and tail. */
  oversized(head: Buffer, tail: Buffer): void;
  /** An empty line; only needed to count lines. */
  blank?(): void;
}

/**
 * Cuts a byte stream into lines and never holds more than `limit` bytes of one. It works on bytes and copies only lines
 * that span several chunks: the gateway reads everything with it. (Its `readFirstLine` is separate because it has to
 * leave what follows in the socket.)
 */
export class LineReader {
  readonly #limit: number;
  readonly #events: LineEvents;
  #parts: Buffer[] = [];
  #length = 0;
  /** Head and tail of the line being dropped. */
  #dropped: { head: Buffer; tail: Buffer } | undefined;

  constructor(limit: number, events: LineEvents) {
    this.#limit = limit;
    this.#events = events;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, end));
      this.#finish();
      start = end + 1;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  /** The stream has ended: the rest after the last line end is a line too. */
  end(): void {
    if (this.#dropped || this.#length > 0) this.#finish();
  }

  #add(part: Buffer): void {
    if (this.#dropped) {
      this.#dropped.tail = Buffer.concat([this.#dropped.tail, part.subarray(-KEPT)]).subarray(-KEPT);
      return;
    }
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length <= this.#limit) return;
    const whole = Buffer.concat(this.#parts);
    this.#dropped = { head: Buffer.from(whole.subarray(0, KEPT)), tail: Buffer.from(whole.subarray(-KEPT)) };
    this.#parts = [];
  }

  #finish(): void {
    const { head, tail } = this.#dropped ?? {};
    const parts = this.#parts;
    this.#parts = [];
    this.#length = 0;
    this.#dropped = undefined;
    if (head && tail) {
      this.#events.oversized(head, tail);
      return;
    }
    let line = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    if (line.at(-1) === RETURN) line = line.subarray(0, -1);
    if (line.length > 0) this.#events.line(line);
    else this.#events.blank?.();
  }
}
