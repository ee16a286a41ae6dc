import type { Clock } from '../core/ports/clock.ts';
import type { Connection } from './connection.ts';
import { HIGH_WATER_BYTES } from './limits.ts';

/**
 * Takes requests from a connection no faster than they are answered and the answers are read. What arrives in one
 * piece with too much else waits here; beyond that the connection itself is not read.
 */
export class Intake {
  readonly #connection: Connection;
  readonly #maxPending: number;
  readonly #take: (text: string) => void;
  readonly #waiting: string[] = [];
  #pending = 0;
  #paused = false;
  #takesWaiting = false;
  #isResting = false;
  /** Called each time no request is open any more. */
  onIdle: () => void = () => undefined;

  constructor(connection: Connection, maxPending: number, take: (text: string) => void) {
    this.#connection = connection;
    this.#maxPending = maxPending;
    this.#take = take;
  }

  get isIdle(): boolean {
    return this.#pending === 0;
  }

  arrived(text: string): void {
    if (this.#paused) this.#waiting.push(text);
    else this.#take(text);
  }

  /** Takes nothing until `open`. */
  shut(): void {
    this.#paused = true;
    this.#connection.pause();
  }

  /** Takes what waits, then reads on, unless that became too much again. */
  open(): void {
    this.#paused = false;
    if (this.#takesWaiting) return;
    this.#takesWaiting = true;
    while (!this.#paused) {
      const text = this.#waiting.shift();
      if (text === undefined) break;
      this.#take(text);
    }
    this.#takesWaiting = false;
    if (!this.#paused) this.#connection.resume();
  }

  begun(): void {
    this.#pending += 1;
    this.slowDown();
  }

  answered(): void {
    this.#pending -= 1;
    this.speedUp();
    if (this.#pending === 0) this.onIdle();
  }

  /** Shuts if too much is open or unread. */
  slowDown(): void {
    if (this.#paused) return;
    const busy = this.#pending >= this.#maxPending;
    if (busy || this.#connection.bufferedBytes >= 4 * HIGH_WATER_BYTES) this.shut();
  }

  /** Takes nothing for a while, whatever was answered. */
  rest(clock: Clock, ms: number): void {
    if (this.#isResting) return;
    this.#isResting = true;
    if (!this.#paused) this.shut();
    clock.after(ms, () => {
      this.#isResting = false;
      this.speedUp();
    });
  }

  /** Opens again once enough was answered and read. */
  speedUp(): void {
    const busy = this.#pending > this.#maxPending / 2;
    if (this.#paused && !this.#isResting && !busy && this.#connection.bufferedBytes < HIGH_WATER_BYTES)
      this.open();
  }
}
