import { basename, dirname } from 'node:path';
import { createStream, type RotatingFileStream } from 'rotating-file-stream';
import type { Settings } from '../settings/settings.ts';

/**
 * A file of lines within its size limits. While it cannot be written, as on a full disk, lines are lost: a log
 * is no reason to stop. Each new line tries again; `onLost` gets the number of lost lines once writing works again.
 */
export class RotatingFile {
  readonly #path: string;
  readonly #limits: Pick<Settings['log'], 'maxSize' | 'files'>;
  readonly #onLost: (lines: number, why: Error) => void;
  #stream: RotatingFileStream;
  #lost: { lines: number; why: Error } | undefined;

  constructor(
    path: string,
    limits: Pick<Settings['log'], 'maxSize' | 'files'>,
    onLost: (lines: number, why: Error) => void,
  ) {
    this.#path = path;
    this.#limits = limits;
    this.#onLost = onLost;
    this.#stream = this.#open();
  }

  write(line: string): void {
    const isBroken = this.#stream.destroyed;
    if (isBroken) this.#stream = this.#open();
    // The line that failed may be partially written.
    this.#stream.write(isBroken ? `\n${line}` : line, (why) => this.#written(why));
  }

  /** Resolves when everything that could be written is in the file. */
  close(): Promise<void> {
    return new Promise((closed) => this.#stream.end(() => closed()));
  }

  #open(): RotatingFileStream {
    const stream = createStream(basename(this.#path), {
      path: dirname(this.#path),
      size: this.#limits.maxSize as `${number}${'K' | 'M' | 'G'}`,
      rotate: this.#limits.files,
      mode: 0o600,
    });
    // Lost lines are counted elsewhere; without a listener the error would crash the process.
    stream.on('error', () => undefined);
    return stream;
  }

  #written(why: Error | null | undefined): void {
    if (why) {
      this.#lost = { lines: (this.#lost?.lines ?? 0) + 1, why: this.#lost?.why ?? why };
      return;
    }
    const lost = this.#lost;
    this.#lost = undefined;
    if (lost) this.#onLost(lost.lines, lost.why);
  }
}
