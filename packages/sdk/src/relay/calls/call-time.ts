import { GRACE_MS } from '../messages/await-reply.ts';

/** Until the daemon says more. */
const USUAL_MS = 30_000;

/** How long a call may take. Unless the caller says so, the daemon does in its answer: longer if a person is asked first. */
export class CallTime {
  readonly #begun = performance.now();
  readonly #wanted: number | undefined;
  ms: number;

  constructor(wanted: number | undefined) {
    this.#wanted = wanted;
    this.ms = wanted ?? USUAL_MS;
  }

  granted(ms: unknown): void {
    if (this.#wanted === undefined && typeof ms === 'number') this.ms = ms;
  }

  /** What is left, for a request that is sent again. */
  get left(): number {
    return Math.max(1, Math.round(this.#begun + this.ms - performance.now()));
  }

  /** When the client gives up, in milliseconds of `performance.now`. */
  get deadline(): number {
    return this.#begun + this.ms + GRACE_MS;
  }
}
