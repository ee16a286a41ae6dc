import { writeSync } from 'node:fs';

/** Retry interval while the program does not read. */
const RETRY_MS = 5;

/** Writes to a pseudo-terminal in order, at once if there is room, without busy waiting. */
export class PtyWriter {
  readonly #descriptor: number;
  #waiting: Uint8Array[] = [];
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  write(bytes: Uint8Array): void {
    if (this.#closed || bytes.length === 0) return;
    this.#waiting.push(bytes);
    if (this.#retry === undefined) this.#flush();
  }

  close(): void {
    this.#closed = true;
    this.#waiting = [];
    clearTimeout(this.#retry);
  }

  #flush(): void {
    this.#retry = undefined;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const written = this.#tryWrite(next);
      if (written < next.length) {
        this.#waiting[0] = next.subarray(written);
        if (!this.#closed) this.#retry = setTimeout(() => this.#flush(), RETRY_MS);
        return;
      }
      this.#waiting.shift();
    }
  }

  #tryWrite(bytes: Uint8Array): number {
    try {
      return writeSync(this.#descriptor, bytes);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EAGAIN') return 0;
      // The program has closed its terminal: drop what it will never read.
      if (code !== 'EIO' && code !== 'EBADF') throw error;
      this.close();
      return 0;
    }
  }
}
