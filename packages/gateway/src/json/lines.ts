const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
/** How much of an oversized line is kept at each end: enough to find the id of the answer it was. */
const KEPT = 512;

export interface LineEvents {
  line(bytes: Buffer): void;
  /** A line was longer than allowed and was thrown away; its two ends are what is left of it. */
  oversized(head: Buffer, tail: Buffer): void;
}

/** Cuts a byte stream into lines and never holds more than `limit` bytes of one. */
export class LineReader {
  readonly #limit: number;
  readonly #events: LineEvents;
  #parts: Buffer[] = [];
  #length = 0;
  /** The ends of the line being thrown away. */
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
  }
}

const END = Buffer.from('\n');

/**
 * A message that came over a network may be spread over several lines, and what is no JSON may have line ends anywhere:
 * whoever reads it line by line must not find two messages in it. Between the parts of JSON a space does as well.
 */
export function withoutNewlines(message: Buffer): Buffer {
  if (!message.includes(NEWLINE) && !message.includes(RETURN)) return message;
  return Buffer.from(message.map((byte) => (byte === NEWLINE || byte === RETURN ? SPACE : byte)));
}

/** A message as one line. */
export const toLine = (message: Buffer): Buffer => Buffer.concat([withoutNewlines(message), END]);
