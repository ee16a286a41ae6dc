import type { Socket } from 'node:net';
import { parseTaken } from './hook-report.ts';

/** A process that hands a message to the model is given so long to say so. */
const TAKEN_MS = 10_000;

/** A process of a hook that waits for a message, and ends when it has handed it to the CLI. */
export class Waiter {
  readonly #socket: Socket;
  #isWaiting = true;
  #told: ((taken: boolean | undefined) => void) | undefined;

  constructor(socket: Socket) {
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

  /** Whether the process gave the text to the CLI; undefined if it did not say. */
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
