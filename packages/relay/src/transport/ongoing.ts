import type { Message, RelayError, RelayEvent, ReplyPayload } from '@agent-relay/protocol';
import type { Ongoing, OngoingFrame, OnlyOne } from '../core/operations/caller.ts';

/** The envelopes that end an operation. */
type LastFrame = 'REPLY' | 'RESULT' | 'ERROR';

/** How an ongoing operation reaches its client. */
export interface OngoingFrames {
  /** Whether the client keeps up. */
  readonly hasRoom: boolean;
  send(type: OngoingFrame | LastFrame, payload: unknown): void;
  deliver(message: Message): void;
  lost(error: unknown): void;
}

/** The operations of one connection that continue after their answers: awaited replies, waiters, tails, deliveries. */
export class OngoingOperations {
  readonly frames: OngoingFrames;
  // Created on demand: most connections only listen.
  #open: Map<string, OngoingOperation> | undefined;
  #only: { [Kind in OnlyOne]?: OngoingOperation } | undefined;
  /** Unanswered requests, with the frames of their operations, which are sent after the answer. */
  #unanswered: Map<string, Array<() => void>> | undefined;
  #isClosed = false;

  constructor(frames: OngoingFrames) {
    this.frames = frames;
  }

  /** Frames of this request's operation wait until `answered`. */
  asked(requestId: string): void {
    this.#unanswered ??= new Map();
    this.#unanswered.set(requestId, []);
  }

  answered(requestId: string): void {
    const waiting = this.#unanswered?.get(requestId);
    if (!waiting) return;
    this.#unanswered?.delete(requestId);
    for (const send of waiting) send();
  }

  begin(requestId: string, only?: OnlyOne): Ongoing {
    const operation = new OngoingOperation(this, requestId);
    if (this.#isClosed) {
      operation.end(true);
      return operation;
    }
    this.end(requestId);
    if (only === undefined) {
      this.#open ??= new Map();
      this.#open.set(requestId, operation);
    } else {
      this.endOnly(only);
      this.#only = { ...this.#only, [only]: operation };
    }
    return operation;
  }

  end(requestId: string): void {
    this.#find(requestId)?.end();
  }

  endOnly(kind: OnlyOne): void {
    this.#only?.[kind]?.end();
  }

  /** The client has read what was sent. */
  resume(): void {
    for (const operation of this.#all()) operation.onRoom();
  }

  close(): void {
    this.#isClosed = true;
    this.#unanswered = undefined;
    for (const operation of this.#all()) operation.end(true);
  }

  /** For an operation that has ended. */
  forget(operation: OngoingOperation): void {
    if (this.#open?.get(operation.requestId) === operation) this.#open.delete(operation.requestId);
    for (const kind of ['mail', 'tail', 'host', 'tools'] as const)
      if (this.#only?.[kind] === operation) delete this.#only[kind];
  }

  /** For an operation: sends now, or after the answer to its request. */
  afterAnswer(requestId: string, send: () => void): void {
    const waiting = this.#unanswered?.get(requestId);
    if (waiting) waiting.push(send);
    else send();
  }

  #find(requestId: string): OngoingOperation | undefined {
    return (
      this.#open?.get(requestId) ??
      Object.values(this.#only ?? {}).find((operation) => operation.requestId === requestId)
    );
  }

  #all(): OngoingOperation[] {
    return [...(this.#open?.values() ?? []), ...Object.values(this.#only ?? {})];
  }
}

class OngoingOperation implements Ongoing {
  readonly #operations: OngoingOperations;
  readonly requestId: string;
  #hasEnded = false;
  #isLost = false;
  #onEnd: (isLost: boolean) => void = nothing;
  onRoom: () => void = nothing;

  constructor(operations: OngoingOperations, requestId: string) {
    this.#operations = operations;
    this.requestId = requestId;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get hasRoom(): boolean {
    return !this.#hasEnded && this.#operations.frames.hasRoom;
  }

  set onEnd(onEnd: (isLost: boolean) => void) {
    // The connection may be closed, or the operation over, before its handlers are set.
    if (this.#hasEnded) onEnd(this.#isLost);
    else this.#onEnd = onEnd;
  }

  event(message: Message): void {
    this.tell({ type: 'message.created', message });
  }

  tell(event: RelayEvent): void {
    this.#later('EVENT', event);
  }

  deliver(message: Message): void {
    if (this.#hasEnded) return;
    this.#operations.afterAnswer(this.requestId, () => this.#operations.frames.deliver(message));
  }

  send(type: OngoingFrame, payload: object): void {
    this.#later(type, payload);
  }

  finishWith(type: 'RESULT', payload: object): void {
    this.#last(type, payload);
  }

  finish(message: Message): void {
    this.#last('REPLY', { id: this.requestId, message } satisfies ReplyPayload);
  }

  fail(error: RelayError): void {
    this.#last('ERROR', error.toPayload(this.requestId));
  }

  lost(error: unknown): void {
    if (!this.#hasEnded) this.#operations.frames.lost(error);
  }

  /** Ends it from outside: it was cancelled, or the connection was closed. */
  end(isLost = false): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#isLost = isLost;
    this.#operations.forget(this);
    this.#onEnd(isLost);
  }

  #last(type: LastFrame, payload: unknown): void {
    this.#later(type, payload);
    this.#hasEnded = true;
    this.#operations.forget(this);
  }

  #later(type: OngoingFrame | LastFrame, payload: unknown): void {
    if (this.#hasEnded) return;
    this.#operations.afterAnswer(this.requestId, () => this.#operations.frames.send(type, payload));
  }
}

const nothing = (): void => undefined;
