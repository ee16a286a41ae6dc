import { spawnSync } from 'node:child_process';
import { writeSync } from 'node:fs';

const STANDARD_OUTPUT = 1;

export interface TerminalSize {
  columns: number;
  rows: number;
}

/** The terminal of the person who started the program: handed over to the child as it is, and put back afterwards. */
export class PersonTerminal {
  readonly #input = process.stdin;
  readonly #output = process.stdout;
  /** The settings to go back to, while others are in force. */
  #settings: string | undefined;

  get isTerminal(): boolean {
    return Boolean(this.#input.isTTY && this.#output.isTTY);
  }

  get size(): TerminalSize {
    // A terminal that does not know its size says 0.
    return { columns: this.#output.columns || 80, rows: this.#output.rows || 24 };
  }

  /**
   * From now on every byte goes through as it is, in both directions. Node's own raw mode would still change line feeds
   * in the output, and so what full-screen programs draw.
   */
  takeOver(): void {
    this.#settings = stty(['-g']).trim();
    stty(['raw', '-echo']);
  }

  /** Puts the terminal back, also when everything else has failed; `undo` switches back what the program had switched. */
  restore(undo: string): void {
    if (this.#settings === undefined) return;
    if (undo !== '') this.#output.write(undo);
    stty([this.#settings]);
    this.#settings = undefined;
  }

  onKeys(listener: (keys: Buffer) => void): void {
    this.#input.on('data', listener);
  }

  /** The person's terminal is gone. */
  onGone(listener: () => void): void {
    this.#input.once('end', listener);
    this.#input.once('error', listener);
  }

  onResize(listener: (size: TerminalSize) => void): void {
    this.#output.on('resize', () => listener(this.size));
  }

  /** At once, past the stream, which costs as much again as writing does; what the terminal does not take follows by it. */
  write(bytes: Uint8Array): void {
    const written = this.#writeNow(bytes);
    if (written < bytes.length) this.#output.write(bytes.subarray(written));
  }

  #writeNow(bytes: Uint8Array): number {
    if (this.#output.writableLength > 0) return 0;
    try {
      return writeSync(STANDARD_OUTPUT, bytes);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A terminal that is gone is told of by the stream.
      if (code !== 'EAGAIN' && code !== 'EIO') throw error;
      return 0;
    }
  }

  close(): void {
    this.#input.pause();
    this.#input.removeAllListeners('data');
  }
}

/** Changes the terminal that is our standard input. */
function stty(words: string[]): string {
  const { stdout, stderr, status, error } = spawnSync('stty', words, {
    stdio: ['inherit', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`stty ${words.join(' ')}: ${error?.message ?? stderr.trim()}`);
  return stdout;
}
