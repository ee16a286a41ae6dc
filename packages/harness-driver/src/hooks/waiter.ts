import type { Duplex } from 'node:stream';
import { parseTaken } from './hook-report.ts';

/** How long a process may take to confirm a message. */
const TAKEN_MS = 10_000;

/** A hook process that waits for a message and ends once it has passed it to the CLI. */
export class Waiter {
  readonly #socket: Duplex;
  #isWaiting = true;
  #told: ((taken: boolean | undefined) => void) | undefined;

  constructor(socket: Duplex) {
    this.#socket = socket;
    socket.once('close', () => {
      this.#isWaiting = false;
      this.#told?.(undefined);
    });
  }

  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  heard(line: string): void {
    this.#told?.(parseTaken(line));
  }

  release(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#socket.end('{}\n');
  }

  /** Whether the process passed the text to the CLI; undefined if it did not say. */
  handOver(text: string): Promise<boolean | undefined> {
    if (!this.#isWaiting) return Promise.resolve(false);
    this.#isWaiting = false;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#told?.(undefined), TAKEN_MS);
      this.#told = (taken) => {
        this.#told = undefined;
        clearTimeout(timer);
        resolve(taken);
      };
      this.#socket.write(`${JSON.stringify({ text })}\n`);
    });
  }
}
