import { spawnSync } from 'node:child_process';
import { writeSync } from 'node:fs';

const STANDARD_OUTPUT = 1;
const MOST_NAME = 128;

export interface TerminalSize {
  columns: number;
  rows: number;
}

/** The terminal of the person who started the program: passed through to the child, and restored afterwards. */
export class PersonTerminal {
  readonly #input = process.stdin;
  readonly #output = process.stdout;
  /** The settings to restore. */
  #settings: string | undefined;
  #isGone = false;

  get isTerminal(): boolean {
    return Boolean(this.#input.isTTY && this.#output.isTTY);
  }

  /** Its name, for people: where to look for it. */
  get name(): string {
    const { stdout, status } = spawnSync('tty', { stdio: ['inherit', 'pipe', 'ignore'], encoding: 'utf8' });
    return (status === 0 && stdout.trim().slice(0, MOST_NAME)) || 'a terminal';
  }

  get size(): TerminalSize {
    // A terminal of unknown size reports 0.
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

  /** Restores the terminal, even if everything else failed; `undo` resets the program's modes. */
  restore(undo: string): void {
    if (this.#settings === undefined || this.#isGone) return;
    if (undo !== '') this.#output.write(undo);
    stty([this.#settings]);
    this.#settings = undefined;
  }

  onKeys(listener: (keys: Buffer) => void): void {
    this.#input.on('data', listener);
  }

  /** The person's terminal is gone. */
  onGone(listener: () => void): void {
    const gone = () => {
      if (this.#isGone) return;
      this.#isGone = true;
      listener();
    };
    this.#input.on('end', gone);
    this.#input.on('error', gone);
    this.#output.on('error', gone);
  }

  onResize(listener: (size: TerminalSize) => void): void {
    this.#output.on('resize', () => listener(this.size));
  }

  /** Writes directly: the stream would double the cost. It takes only what the terminal does not accept at once. */
  write(bytes: Uint8Array): void {
    if (this.#isGone) return;
    const written = this.#writeNow(bytes);
    if (written < bytes.length) this.#output.write(bytes.subarray(written));
  }

  #writeNow(bytes: Uint8Array): number {
    if (this.#output.writableLength > 0) return 0;
    try {
      return writeSync(STANDARD_OUTPUT, bytes);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // The stream reports a lost terminal.
      if (code !== 'EAGAIN' && code !== 'EIO') throw error;
      return 0;
    }
  }

  close(): void {
    this.#input.pause();
    this.#input.removeAllListeners('data');
  }
}

/** Changes the settings of the terminal on stdin. */
function stty(words: string[]): string {
  const { stdout, stderr, status, error } = spawnSync('stty', words, {
    stdio: ['inherit', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`stty ${words.join(' ')}: ${error?.message ?? stderr.trim()}`);
  return stdout;
}
