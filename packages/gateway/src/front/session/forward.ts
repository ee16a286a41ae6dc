import type { Backend } from '../../backend/backend.ts';
import {
  isObject,
  type JsonMembers,
  joinObject,
  objectFrom,
  scanObject,
  toJson,
} from '../../json/raw-json.ts';
import type { Call } from './call.ts';
import { INVALID_PARAMS, notificationMessage, ProtocolError } from './messages.ts';
import { SuspendedCalls } from './suspended-calls.ts';

/** Sends a backend's request to a legacy client, which accepts requests at any time. */
export type AskClient = (
  call: Call,
  method: string,
  params: Buffer | undefined,
  signal: AbortSignal,
) => Promise<Buffer>;

export interface ForwardOptions {
  method: string;
  params: JsonMembers;
  repeatable: boolean;
  headers?: Record<string, string> | undefined;
}

const MAX_ROUNDS = 16;

/**
 * Forwards a client's call to a backend and the answer back, across protocol eras. Most of it deals with questions: a
 * modern backend answers "input required" and expects the call again; a legacy one asks during the call.
 */
export class Forwarder {
  readonly #askClient: AskClient;
  readonly #suspended = new SuspendedCalls();

  constructor(askClient: AskClient) {
    this.#askClient = askClient;
  }

  forward(call: Call, backend: Backend, options: ForwardOptions): Promise<Buffer> {
    call.backend = backend.config.name;
    if (call.era === 'modern') return this.#forModernCaller(call, backend, options);
    call.ask = (method, params, signal) => this.#askClient(call, method, params, signal);
    return this.#forLegacyCaller(call, backend, options);
  }

  close(): void {
    this.#suspended.close();
  }

  async #forLegacyCaller(call: Call, backend: Backend, options: ForwardOptions): Promise<Buffer> {
    let { params } = options;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const answer = await backend.call(
        options.method,
        params,
        this.#callOptions(call, call.signal, options),
      );
      const required = answer.era === 'modern' ? inputRequired(answer.bytes) : undefined;
      if (!required) return answer.bytes;
      params = new Map(options.params)
        .set('inputResponses', toJson(await this.#collect(call, required.get('inputRequests'))))
        .set('requestState', required.get('requestState') ?? toJson(''));
      if (!required.has('requestState')) params.delete('requestState');
    }
    throw new ProtocolError(INVALID_PARAMS, `The backend asked for input more than ${MAX_ROUNDS} times.`);
  }

  /** Sends each question of a modern backend to a legacy client. */
  async #collect(call: Call, requests: Buffer | undefined): Promise<Record<string, unknown>> {
    const answers: Record<string, unknown> = {};
    for (const [key, question] of Object.entries(objectFrom(requests) ?? {})) {
      if (!isObject(question) || typeof question.method !== 'string') continue;
      const answer = await this.#askClient(call, question.method, toJson(question.params ?? {}), call.signal);
      answers[key] = objectFrom(answer);
    }
    return answers;
  }

  /** A modern caller gets "input required" and repeats its call; the backend's call is suspended until then. */
  #forModernCaller(call: Call, backend: Backend, options: ForwardOptions): Promise<Buffer> {
    const suspended = this.#suspended.take(call.params.get('requestState'));
    if (suspended) return suspended.resume(call);
    const exchange = this.#suspended.open(call, (signal, current) =>
      backend
        .call(options.method, options.params, this.#callOptions(call, signal, options, current))
        .then(({ bytes }) => bytes),
    );
    return exchange.next(call);
  }

  #callOptions(call: Call, signal: AbortSignal, options: ForwardOptions, current: () => Call = () => call) {
    return {
      repeatable: options.repeatable,
      clientCapabilities: call.clientCapabilities,
      signal,
      headers: options.headers,
      ...(call.meta.progressToken === undefined
        ? {}
        : { onProgress: (params: JsonMembers) => sendProgress(current(), params) }),
    };
  }
}

/** The members of an "input required" result; undefined for other results. */
function inputRequired(result: Buffer): JsonMembers | undefined {
  const members = scanObject(result);
  return members?.get('resultType')?.toString() === '"input_required"' ? members : undefined;
}

function sendProgress(call: Call, params: JsonMembers): void {
  const own = new Map(params).set('progressToken', toJson(call.meta.progressToken));
  call.reply.send(notificationMessage('notifications/progress', joinObject(own)));
}
