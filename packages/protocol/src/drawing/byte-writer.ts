const FIRST_BYTES = 1024;

/** Bytes in the order they are written. */
export class ByteWriter {
  #bytes = new Uint8Array(FIRST_BYTES);
  #length = 0;

  byte(byte: number): void {
    this.#makeRoom(1);
    this.#bytes[this.#length++] = byte;
  }

  /** A part of other bytes. */
  part(bytes: Uint8Array, start: number, end: number): void {
    const added = end - start;
    this.#makeRoom(added);
    if (start === 0 && end === bytes.length) this.#bytes.set(bytes, this.#length);
    else this.#bytes.set(bytes.subarray(start, end), this.#length);
    this.#length += added;
  }

  ascii(text: string): void {
    for (let at = 0; at < text.length; at++) this.byte(text.charCodeAt(at));
  }

  /** A number from 0 to 9999, in decimal. */
  decimal(number: number): void {
    if (number >= 10) this.decimal(Math.floor(number / 10));
    this.byte(0x30 + (number % 10));
  }

  /** Everything that was written since the last time. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return taken;
  }

  #makeRoom(bytes: number): void {
    const wanted = this.#length + bytes;
    if (wanted <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(wanted, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
