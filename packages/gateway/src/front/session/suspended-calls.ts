import { randomUUID } from 'node:crypto';
import { objectFrom, stringFrom, toJson } from '../../json/raw-json.ts';
import type { Call } from './call.ts';

/** How long a question waits for its caller to return. */
const SUSPENDED_MS = 600_000;
const QUESTION = 'question';

/**
 * Calls of modern clients to legacy backends. The backend asks during the call and waits. The client gets "input
 * required" as its result and repeats the call with the answer. Meanwhile the backend's call is suspended here, under the
 * `requestState` that the client sends back.
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
    // Nobody awaits the outcome while the call is suspended; the caller gets it on return.
    this.#outcome.catch(() => undefined);
  }

  /** The backend's result, or its next question as a result. */
  async next(call: Call): Promise<Buffer> {
    const leave = () => this.#abort.abort();
    call.signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([this.#outcome, this.#asked.promise]);
    } finally {
      call.signal.removeEventListener('abort', leave);
    }
  }

  /** The caller returned with its answer. */
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
