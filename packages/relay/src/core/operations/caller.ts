import type {
  Message,
  OperationName,
  OperationParams,
  OperationResult,
  RelayError,
  RelayEvent,
} from '@agent-relay/protocol';
import type { HandledCalls } from '../calls/handled-calls.ts';
import type { Receiver } from '../delivery/receiver.ts';
import type { Principal } from '../principal.ts';

/**
 * An operation that continues after its answer and sends frames over the connection it was requested on. None of them
 * is sent before the answer, and none after it has ended.
 */
export interface Ongoing {
  /** It was cancelled or finished, or the connection was closed; possibly from the start. */
  readonly hasEnded: boolean;
  /** Whether the client keeps up. When it does again, `onRoom` is called. */
  readonly hasRoom: boolean;
  onRoom: () => void;
  /** Called once, if it ends before it is finished: the client cancelled it, or the connection was closed (`isLost`). */
  onEnd: (isLost: boolean) => void;
  event(message: Message): void;
  tell(event: RelayEvent): void;
  deliver(message: Message): void;
  /** Sends an envelope of another kind. */
  send(type: OngoingFrame, payload: object): void;
  /** Ends it with the awaited message. */
  finish(message: Message): void;
  /** Ends it with an envelope of another kind. */
  finishWith(type: 'RESULT', payload: object): void;
  /** Ends it with an error. */
  fail(error: RelayError): void;
  /** The store failed: closes the connection; the client reconnects and resumes. */
  lost(error: unknown): void;
}

/** The envelopes, beside messages, that an operation sends after its answer. */
export type OngoingFrame = 'CALL' | 'PROGRESS' | 'EVENT';

/** Kinds a connection has at most one of: a new one replaces the old one. */
export type OnlyOne = 'mail' | 'tail' | 'host' | 'tools';

/** What an operation can use of the connection of its request. */
export interface Caller {
  readonly principal: Principal;
  /** How this connection gets its agent's messages. */
  receiver: Receiver | undefined;
  /** The calls that this connection handles, once it serves tools. */
  serving: HandledCalls | undefined;
  /** The run that this connection is the host of, once it said so. */
  hosting: Ongoing | undefined;
  /** The session of the client program, by its own account. */
  readonly clientSession?: string | undefined;
  /** Whether it is notified of its agent's messages. */
  isToldOfMail: boolean;
  /** Continues the operation of this request after its answer. */
  begin(requestId: string, only?: OnlyOne): Ongoing;
  /** Ends an ongoing operation. */
  end(requestId: string): void;
  /** Ends the one of this kind. */
  endOnly(kind: OnlyOne): void;
  /** Sends it an event, if it keeps up. */
  notify(event: RelayEvent): void;
  /** Starts to push the events of the workspace, except messages. */
  watch(): void;
}

type Handler<N extends OperationName> = (
  caller: Caller,
  params: OperationParams<N>,
  requestId: string,
) => OperationResult<N> | Promise<OperationResult<N>>;

/** The handlers of the operations of one topic. */
export type Handlers<N extends OperationName> = { readonly [Name in N]: Handler<Name> };
