/** More than any message the relay takes, with room for the escapes of JSON. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

/** Cuts a stream of bytes into lines. A line that grows too long is dropped as a whole; the next one is fine again. */
export class LineReader {
  #parts: Buffer[] = [];
  #bytes = 0;
  #skipping = false;

  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      this.#keep(chunk.subarray(from, end));
      if (!this.#skipping) lines.push(Buffer.concat(this.#parts).toString('utf8'));
      this.#forget();
      this.#skipping = false;
      from = end + 1;
    }
    this.#keep(chunk.subarray(from));
    return lines;
  }

  #keep(part: Buffer): void {
    if (this.#skipping) return;
    this.#parts.push(part);
    this.#bytes += part.length;
    if (this.#bytes <= MAX_LINE_BYTES) return;
    this.#forget();
    this.#skipping = true;
  }

  #forget(): void {
    this.#parts = [];
    this.#bytes = 0;
  }
}
