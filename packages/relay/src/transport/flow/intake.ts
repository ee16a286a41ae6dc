import type { Clock } from '../../core/ports/clock.ts';
import type { Connection } from '../connections/connection.ts';
import { HIGH_WATER_BYTES } from './limits.ts';

/**
 * Takes requests from a connection no faster than they are answered and the answers are read. Requests that arrive in one
 * chunk with too many others wait here; beyond that the connection is not read.
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
  /** Called whenever no request is open. */
  onIdle: () => void = nothing;

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

  /** Takes waiting requests, then resumes reading, unless there are too many again. */
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

  /** Pauses if too many are open or unread. */
  slowDown(): void {
    if (this.#paused) return;
    const busy = this.#pending >= this.#maxPending;
    if (busy || this.#connection.bufferedBytes >= 4 * HIGH_WATER_BYTES) this.shut();
  }

  /** Pauses for a while. */
  rest(clock: Clock, ms: number): void {
    if (this.#isResting) return;
    this.#isResting = true;
    if (!this.#paused) this.shut();
    clock.after(ms, () => {
      this.#isResting = false;
      this.speedUp();
    });
  }

  /** Resumes once enough was answered and read. */
  speedUp(): void {
    const busy = this.#pending > this.#maxPending / 2;
    if (this.#paused && !this.#isResting && !busy && this.#connection.bufferedBytes < HIGH_WATER_BYTES)
      this.open();
  }
}

const nothing = (): void => undefined;
