import { randomUUID } from 'node:crypto';
import { objectFrom, stringFrom, toJson } from '../../json/raw-json.ts';
import type { Call } from './call.ts';

/** How long a question may wait for its caller to come back. */
const SUSPENDED_MS = 600_000;
const QUESTION = 'question';

/**
 * Calls of modern callers to backends of the older kind. Such a backend asks in the middle of a call and waits; such
 * a caller is asked by ending its request with "input required", and repeats it with the answer. In between, the
 * backend's call is suspended here under the `requestState` that the caller brings back.
 */
export class SuspendedCalls {
  readonly #suspended = new Map<string, SuspendedCall>();

  open(call: Call, start: (signal: AbortSignal, current: () => Call) => Promise<Buffer>): SuspendedCall {
    return new SuspendedCall(call, start, this.#suspended);
  }

  take(requestState: Buffer | undefined): SuspendedCall | undefined {
    const key = stringFrom(requestState);
    const exchange = key === undefined ? undefined : this.#suspended.get(key);
    if (key !== undefined) this.#suspended.delete(key);
    return exchange;
  }

  close(): void {
    for (const exchange of this.#suspended.values()) exchange.abandon();
    this.#suspended.clear();
  }
}

class SuspendedCall {
  readonly #suspended: Map<string, SuspendedCall>;
  readonly #abort = new AbortController();
  readonly #outcome: Promise<Buffer>;
  #call: Call;
  #asked = Promise.withResolvers<Buffer>();
  #answer: ((response: Buffer) => void) | undefined;
  #expiry: NodeJS.Timeout | undefined;

  constructor(
    call: Call,
    start: (signal: AbortSignal, current: () => Call) => Promise<Buffer>,
    suspended: Map<string, SuspendedCall>,
  ) {
    this.#call = call;
    this.#suspended = suspended;
    this.#adopt(call);
    this.#outcome = start(this.#abort.signal, () => this.#call);
    // While it is suspended nobody waits for the outcome; it is told on return.
    this.#outcome.catch(() => undefined);
  }

  /** The backend's result, or its next question in the form of a result. */
  async next(call: Call): Promise<Buffer> {
    const leave = () => this.#abort.abort();
    call.signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([this.#outcome, this.#asked.promise]);
    } finally {
      call.signal.removeEventListener('abort', leave);
    }
  }

  /** The caller came back with its answer. */
  resume(call: Call): Promise<Buffer> {
    clearTimeout(this.#expiry);
    this.#adopt(call);
    this.#asked = Promise.withResolvers();
    const responses = objectFrom(call.params.get('inputResponses'));
    this.#answer?.(toJson(responses?.[QUESTION] ?? { action: 'cancel' }));
    return this.next(call);
  }

  abandon(): void {
    clearTimeout(this.#expiry);
    this.#abort.abort();
  }

  #adopt(call: Call): void {
    this.#call = call;
    call.ask = (method, params) =>
      new Promise((resolve) => {
        const key = randomUUID();
        this.#answer = resolve;
        this.#suspended.set(key, this);
        this.#expiry = setTimeout(() => {
          if (this.#suspended.delete(key)) this.abandon();
        }, SUSPENDED_MS);
        this.#expiry.unref();
        this.#asked.resolve(
          toJson({
            resultType: 'input_required',
            inputRequests: { [QUESTION]: { method, params: objectFrom(params) ?? {} } },
            requestState: key,
          }),
        );
      });
  }
}
