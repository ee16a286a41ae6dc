import type { CallProgress, RelayError } from '@agent-relay/protocol';

/** A request that has no final answer yet. */
export interface OpenRequest {
  readonly id: string;
  /** It was sent: if the connection is lost, it is unknown whether the request was handled. */
  sent: boolean;
  /** The envelope to send, the first time or again. */
  encode(): string;
  /** Whether it may be sent again if its answer was lost with the connection. */
  readonly repeatable: boolean;
  /** It fails rather than wait for another connection. */
  readonly onlyNow?: boolean;
  /** When it fails with the error of `expire`, in milliseconds of `performance.now`; may become later. */
  readonly deadline: number;
  /** The error, by whether the request was sent on this connection. */
  expire(wasSent: boolean): RelayError;
  /** The error if the connection was lost after it was sent, and it may not be sent again. Default: the connection's. */
  lose?(cause: RelayError): RelayError;
  /** Takes the daemon's ACK; false if the request keeps waiting for a reply. */
  answer(result: Record<string, unknown>): boolean;
  /** Takes the daemon's REPLY or RESULT, which is always final. */
  reply?(value: unknown): void;
  progress?(progress: CallProgress): void;
  fail(error: RelayError): void;
}

/** The open requests of a client, in the order they were made. One timer serves the deadlines of all. */
export class Requests {
  readonly #open = new Map<string, OpenRequest>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #onNone: (() => void) | undefined;

  get size(): number {
    return this.#open.size;
  }

  add(request: OpenRequest): void {
    this.#open.set(request.id, request);
    if (request.deadline < this.#timerAt) this.#wakeAt(request.deadline);
  }

  has(id: string): boolean {
    return this.#open.has(id);
  }

  answer(id: string, result: Record<string, unknown>): void {
    if (this.#open.get(id)?.answer(result)) this.#remove(id);
  }

  progress(id: string, progress: CallProgress): void {
    this.#open.get(id)?.progress?.(progress);
  }

  reply(id: string, value: unknown): void {
    const request = this.#open.get(id);
    if (request?.reply === undefined) return;
    this.#remove(id);
    request.reply(value);
  }

  fail(id: string, error: RelayError): void {
    const request = this.#open.get(id);
    if (request === undefined) return;
    this.#remove(id);
    request.fail(error);
  }

  /** The daemon did not handle it: it stays open for the next connection, unless it is for this one only. */
  postpone(id: string, refusal: RelayError): void {
    const request = this.#open.get(id);
    if (request?.onlyNow) this.fail(id, refusal);
    else if (request) request.sent = false;
  }

  /** Resolves when none is open, nor made right after the last answer; or after this time. */
  async none(waitMs: number): Promise<void> {
    const deadline = performance.now() + waitMs;
    while (this.#open.size > 0 && performance.now() < deadline) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#onNone = resolve;
      const timer = setTimeout(resolve, deadline - performance.now());
      await promise;
      clearTimeout(timer);
      // Whoever got the answer may ask for more with it.
      await new Promise((next) => setTimeout(next, 0));
    }
  }

  /** Closed: every request fails, and no timer keeps the program alive. */
  close(error: RelayError): void {
    for (const id of this.#open.keys()) this.fail(id, error);
    clearTimeout(this.#timer);
  }

  /** The connection was lost: requests that were sent and cannot be repeated fail. */
  connectionLost(error: RelayError): void {
    for (const request of this.#open.values()) {
      if (request.sent && !request.repeatable) this.fail(request.id, request.lose?.(error) ?? error);
      request.sent = false;
    }
  }

  /** Every open request, oldest first. */
  [Symbol.iterator](): Iterator<OpenRequest> {
    return this.#open.values();
  }

  #remove(id: string): void {
    this.#open.delete(id);
    if (this.#open.size === 0) this.#onNone?.();
  }

  #wakeAt(time: number): void {
    clearTimeout(this.#timer);
    this.#timerAt = time;
    this.#timer = setTimeout(() => this.#sweep(), Math.max(0, time - performance.now()));
  }

  /** An answered request does not reset the timer: it fires at most once per timeout, not once per request. */
  #sweep(): void {
    this.#timerAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (const request of this.#open.values()) {
      if (request.deadline <= now) this.fail(request.id, request.expire(request.sent));
      else next = Math.min(next, request.deadline);
    }
    if (next < Number.POSITIVE_INFINITY) this.#wakeAt(next);
  }
}
