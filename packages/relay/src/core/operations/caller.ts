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
 * An operation that goes on after its answer: what it sends later, over the connection it was asked on. Nothing of it
 * leaves before the answer does, and nothing after it has ended.
 */
export interface Ongoing {
  /** It was cancelled or finished, or the connection is gone; that may be so from the beginning. */
  readonly hasEnded: boolean;
  /** Whether the client keeps up. When it does again, `onRoom` is called. */
  readonly hasRoom: boolean;
  onRoom: () => void;
  /** Called once, when it ends before it is finished: the client cancelled it, or the connection is gone. */
  onEnd: () => void;
  event(message: Message): void;
  tell(event: RelayEvent): void;
  deliver(message: Message): void;
  /** Sends an envelope of another kind. */
  send(type: OngoingFrame, payload: object): void;
  /** Ends it with the message the client waited for. */
  finish(message: Message): void;
  /** Ends it with an envelope of another kind. */
  finishWith(type: 'RESULT', payload: object): void;
  /** Ends it with the reason there will be nothing. */
  fail(error: RelayError): void;
  /** The store failed under it: the connection is given up, and the client comes back and goes on where it was. */
  lost(error: unknown): void;
}

/** The envelopes, beside messages, that an operation sends after its answer. */
export type OngoingFrame = 'CALL' | 'PROGRESS' | 'EVENT';

/** What a connection has only one of: a new one takes the place of the one before. */
export type OnlyOne = 'mail' | 'tail' | 'host' | 'tools';

/** The connection a request came on, as far as an operation may use it. */
export interface Caller {
  readonly principal: Principal;
  /** How this connection gets its agent's mail. */
  receiver: Receiver | undefined;
  /** The calls that this connection handles, once it serves tools. */
  serving: HandledCalls | undefined;
  /** The session for which a client claimed the agent's name. */
  readonly session?: string | undefined;
  /** Whether it is told of its agent's mail. */
  isToldOfMail: boolean;
  /** Goes on with the operation of this request after its answer. */
  begin(requestId: string, only?: OnlyOne): Ongoing;
  /** Ends an operation that goes on. */
  end(requestId: string): void;
  /** Ends the one of this kind. */
  endOnly(kind: OnlyOne): void;
  /** Tells it something, if it keeps up. */
  notify(event: RelayEvent): void;
  /** Starts to push what happens in the workspace, messages aside. */
  watch(): void;
}

type Handler<N extends OperationName> = (
  caller: Caller,
  params: OperationParams<N>,
  requestId: string,
) => OperationResult<N> | Promise<OperationResult<N>>;

/** What the operations of one topic do. */
export type Handlers<N extends OperationName> = { readonly [Name in N]: Handler<Name> };
