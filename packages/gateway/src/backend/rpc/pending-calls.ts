import type { JsonMembers } from '../../json/raw-json.ts';
import { CallTimeout } from '../failures.ts';

/** A request that waits for its answer. */
export interface PendingCall {
  resolve(result: Buffer): void;
  reject(error: Error): void;
  onProgress: ((params: JsonMembers) => void) | undefined;
  timeoutMs: number;
  deadline: number;
  signal: AbortSignal | undefined;
  /** The listener on `signal`. */
  abort: (() => void) | undefined;
  /** Ends the exchange if it has its own stream. */
  stream: AbortController | undefined;
}

/** The requests to a backend that wait for an answer, each until its deadline. */
export class PendingCalls {
  readonly #calls = new Map<number, PendingCall>();
  readonly #onLate: (id: number, error: Error) => void;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = 0;

  /** `onLate` is called with each request that has no answer at its deadline; it takes the request. */
  constructor(onLate: (id: number, error: Error) => void) {
    this.#onLate = onLate;
  }

  /** Its deadline is not watched yet. */
  add(id: number, call: PendingCall): void {
    this.#calls.set(id, call);
  }

  get(id: number): PendingCall | undefined {
    return this.#calls.get(id);
  }

  /** Removes a request. The caller settles it; nobody else can. */
  take(id: number): PendingCall | undefined {
    const call = this.#calls.get(id);
    if (!call) return undefined;
    this.#calls.delete(id);
    if (call.abort) call.signal?.removeEventListener('abort', call.abort);
    return call;
  }

  /** Removes all of them, when the connection ends. */
  takeAll(): PendingCall[] {
    clearTimeout(this.#timer);
    return [...this.#calls.keys()].flatMap((id) => this.take(id) ?? []);
  }

  /** One timer for all calls, set to the earliest deadline: most calls end long before theirs. */
  watch(deadline: number): void {
    if (this.#timer && this.#timerAt <= deadline) return;
    clearTimeout(this.#timer);
    this.#timerAt = deadline;
    this.#timer = setTimeout(() => this.#sweep(), Math.max(0, deadline - performance.now()));
    this.#timer.unref();
  }

  #sweep(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const [id, { deadline, timeoutMs }] of [...this.#calls]) {
      if (deadline <= now) this.#onLate(id, new CallTimeout(`no answer within ${timeoutMs / 1000} s`));
    }
    const next = Math.min(...[...this.#calls.values()].map(({ deadline }) => deadline));
    if (Number.isFinite(next)) this.watch(next);
  }
}
