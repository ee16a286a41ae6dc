import {
  type JsonMembers,
  joinObject,
  objectFrom,
  scanMessage,
  scanObject,
  stringFrom,
  toJson,
} from '../../json/raw-json.ts';
import { AnswerTooLarge, BackendBusy, BackendError, CallAborted, ConnectionLost } from '../failures.ts';
import { reasonOf } from '../reason.ts';
import {
  type BackendTransport,
  HttpRefused,
  NotWritten,
  type SendOptions,
  type TransportEvents,
} from '../transports/transport.ts';
import { type PendingCall, PendingCalls } from './pending-calls.ts';

export interface CallOptions {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Receives the params of each progress notification. The backend is asked for progress only if this is set. */
  onProgress?: ((params: JsonMembers) => void) | undefined;
  headers?: Record<string, string> | undefined;
  /** Cancel by ending the response stream (modern HTTP) rather than by a message. */
  cancelByStream?: boolean;
}

/** Limit of open requests from a backend, including those whose answer it has not read yet. */
const MAX_QUESTIONS = 1000;
/** A refused request gets an answer unless its id is longer than any server would choose. */
const LONGEST_ID = 256;

/** What a backend sends that is not an answer. */
export interface RpcEvents {
  notification(method: string, params: Buffer | undefined): void;
  /** Progress of the call with this id. `deliver` passes it to the caller unless the call has ended. */
  progress(id: number, deliver: () => void): void;
  /** A request from the backend; returns the bytes of the result. */
  request(method: string, params: Buffer | undefined, signal: AbortSignal): Promise<Buffer>;
  closed(reason: string): void;
}

/**
 * JSON-RPC with one backend. Each connection has its own ids and progress tokens, so callers never collide. Params and
 * results pass through as bytes.
 */
export class BackendRpc {
  readonly #transport: BackendTransport;
  readonly #events: RpcEvents;
  readonly #maxBacklogBytes: number;
  readonly #pending = new PendingCalls((id, error) => this.#giveUp(id, error));
  /** Open requests from the backend by raw id, until it has read the answer. */
  readonly #incoming = new Map<string, AbortController>();
  #nextId = 0;
  #over: string | undefined;
  #closing: Promise<void> | undefined;

  /** Nothing more is written while `maxBacklogBytes` are unread by the backend. */
  constructor(
    makeTransport: (events: TransportEvents) => BackendTransport,
    maxBacklogBytes: number,
    events: RpcEvents,
  ) {
    this.#events = events;
    this.#maxBacklogBytes = maxBacklogBytes;
    this.#transport = makeTransport({
      message: (bytes) => this.#receive(bytes),
      closed: (reason) => this.#end(reason),
      oversized: (head, tail) => this.#oversized(head, tail),
    });
  }

  get kind(): BackendTransport['kind'] {
    return this.#transport.kind;
  }

  start(): Promise<void> {
    return this.#transport.start();
  }

  negotiated(version: string): void {
    this.#transport.negotiated?.(version);
  }

  close(reason: string): Promise<void> {
    this.#end(reason);
    this.#closing ??= this.#transport.close();
    return this.#closing;
  }

  /** Sends a request and returns the bytes of its result. */
  request(method: string, params: JsonMembers, options: CallOptions): Promise<Buffer> {
    if (this.#over !== undefined) return Promise.reject(new ConnectionLost(this.#over, false));
    const id = ++this.#nextId;
    const sent = options.onProgress ? withProgressToken(params, id) : params;
    const head = Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":`);
    const message = Buffer.concat([head, joinObject(sent), CLOSE]);
    if (!this.#hasRoomFor(message))
      return Promise.reject(new BackendBusy(`${this.#transport.backlog} bytes are waiting to be written`));
    return new Promise((resolve, reject) => {
      const { timeoutMs, onProgress, signal } = options;
      const pending: PendingCall = {
        resolve,
        reject,
        onProgress,
        timeoutMs,
        deadline: performance.now() + timeoutMs,
        signal,
        abort: undefined,
        stream: options.cancelByStream ? new AbortController() : undefined,
      };
      this.#pending.add(id, pending);
      if (signal) {
        pending.abort = () => this.#giveUp(id, new CallAborted('the caller cancelled the request'));
        if (signal.aborted) return pending.abort();
        signal.addEventListener('abort', pending.abort);
      }
      this.#pending.watch(pending.deadline);
      this.#send(
        message,
        id,
        this.kind === 'http' || this.kind === 'sse' ? this.#exchange(id, pending, options) : undefined,
      );
    });
  }

  /** Options for transports that have one stream per request. */
  #exchange(id: number, pending: PendingCall, options: CallOptions): SendOptions {
    return {
      ...(pending.stream ? { signal: pending.stream.signal } : {}),
      ...(options.headers ? { headers: options.headers } : {}),
      onStreamEnd: () =>
        this.#pending.take(id)?.reject(new ConnectionLost('the answer stream ended early', true)),
    };
  }

  #giveUp(id: number, error: Error): void {
    const pending = this.#pending.take(id);
    if (!pending) return;
    if (pending.stream) pending.stream.abort(error);
    else this.notify('notifications/cancelled', { requestId: id, reason: error.message });
    pending.reject(error);
  }

  /** Best effort: if it cannot be sent, the connection is ending or nobody is reading. */
  notify(method: string, params: Record<string, unknown>): void {
    const message = toJson({ jsonrpc: '2.0', method, params });
    if (this.#hasRoomFor(message)) this.#send(message, undefined);
  }

  /** A single message of any size is always accepted; its size was checked on the way in. */
  #hasRoomFor({ length }: Buffer): boolean {
    const { backlog } = this.#transport;
    return backlog === 0 || backlog + length <= this.#maxBacklogBytes;
  }

  /** Resolves when the message is sent or has failed; never rejects. */
  #send(message: Buffer, id: number | undefined, options?: SendOptions): void | Promise<void> {
    const failed = (error: unknown) => {
      const reason = reasonOf(error);
      const unwritten = error instanceof NotWritten;
      const failure = error instanceof HttpRefused ? error : new ConnectionLost(reason, !unwritten);
      if (id !== undefined) this.#pending.take(id)?.reject(failure);
      if (unwritten) void this.close(reason);
    };
    try {
      return this.#transport.send(message, options)?.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  #receive(bytes: Buffer): void {
    // A backend that is shutting down may still send messages.
    if (this.#over !== undefined) return;
    const scanned = scanMessage(bytes);
    // Some servers log to stdout. Like every client, ignore what is not JSON-RPC.
    if (!scanned) return;
    const { members, flaw } = scanned;
    if (flaw !== undefined) {
      this.#refuse(members, flaw);
      return;
    }
    const rawId = members.get('id');
    const method = stringFrom(members.get('method'));
    if (method !== undefined) {
      const params = members.get('params');
      if (rawId === undefined) this.#notified(method, params);
      else void this.#answer(rawId, (signal) => this.#events.request(method, params, signal));
      return;
    }
    const pending = rawId && this.#pending.take(Number(rawId.toString()));
    if (!pending) return;
    const result = members.get('result');
    const error = members.get('error');
    if (result) pending.resolve(result);
    else if (error) pending.reject(new BackendError(error));
    else
      pending.reject(new BackendError(toJson({ code: -32603, message: 'the backend sent an empty answer' })));
  }

  /** Rejects a message that cannot be forwarded. The caller waiting for it gets the error; notifications are dropped. */
  #refuse(members: JsonMembers, flaw: string): void {
    const rawId = members.get('id');
    if (rawId === undefined) return;
    if (!members.has('method'))
      this.#pending.take(Number(rawId.toString()))?.reject(new AnswerTooLarge(flaw));
    else if (rawId.length <= LONGEST_ID) {
      const error = toJson({ code: -32600, message: `Invalid request: ${flaw}.` });
      void this.#answer(rawId, () => Promise.reject(new BackendError(error)));
    }
  }

  #notified(method: string, params: Buffer | undefined): void {
    if (method === 'notifications/progress') {
      const progress = params && scanObject(params);
      const id = Number(progress?.get('progressToken')?.toString());
      if (progress && this.#pending.get(id)?.onProgress)
        this.#events.progress(id, () => this.#pending.get(id)?.onProgress?.(progress));
      return;
    }
    if (method === 'notifications/cancelled') {
      const requestId = params && scanObject(params)?.get('requestId');
      this.#incoming.get(requestId?.toString() ?? '')?.abort();
      return;
    }
    this.#events.notification(method, params);
  }

  async #answer(rawId: Buffer, respond: (signal: AbortSignal) => Promise<Buffer>): Promise<void> {
    const key = rawId.toString();
    // With two requests under one id the backend could not tell the answers apart.
    if (this.#incoming.has(key)) return;
    if (this.#incoming.size >= MAX_QUESTIONS)
      return this.close(`it has more than ${MAX_QUESTIONS} open requests`);
    const abort = new AbortController();
    this.#incoming.set(key, abort);
    const [field, bytes] = await respond(abort.signal).then(
      (result) => ['result', result] as const,
      (error: unknown) => ['error', error instanceof BackendError ? error.bytes : refusal(error)] as const,
    );
    if (!abort.signal.aborted) {
      const answer = joinObject([
        ['jsonrpc', VERSION],
        ['id', rawId],
        [field, bytes],
      ]);
      if (!this.#hasRoomFor(answer)) return this.close('it sends requests and does not read the answers');
      await this.#send(answer, undefined);
    }
    this.#incoming.delete(key);
  }

  /** Finds the call whose answer was too large: SDKs write the id first or last. */
  #oversized(head: Buffer, tail: Buffer): void {
    const found =
      /^\s*\{[^{]*?"id"\s*:\s*(\d+)/.exec(head.toString('latin1')) ??
      /"id"\s*:\s*(\d+)\s*\}\s*$/.exec(tail.toString('latin1'));
    const pending = found && this.#pending.take(Number(found[1]));
    const error = new AnswerTooLarge('it exceeds the size limit');
    if (pending) pending.reject(error);
    else void this.close(error.message);
  }

  #end(reason: string): void {
    if (this.#over !== undefined) return;
    this.#over = reason;
    for (const { reject } of this.#pending.takeAll()) reject(new ConnectionLost(reason, true));
    for (const abort of this.#incoming.values()) abort.abort();
    this.#events.closed(reason);
  }
}

const CLOSE = Buffer.from('}');
const VERSION = Buffer.from('"2.0"');

function withProgressToken(params: JsonMembers, token: number): JsonMembers {
  const meta = objectFrom(params.get('_meta')) ?? {};
  return new Map(params).set('_meta', toJson({ ...meta, progressToken: token }));
}

const refusal = (error: unknown): Buffer =>
  toJson({ code: -32601, message: error instanceof Error ? error.message : 'refused' });
