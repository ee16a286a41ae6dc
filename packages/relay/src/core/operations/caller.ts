import type { OperationName, OperationParams, OperationResult } from '@agent-relay/protocol';
import type { AwaitOutcome } from '../delivery/awaits.ts';
import type { Principal } from '../principal.ts';

/** The connection a request came on, as far as an operation may use it. */
export interface Caller {
  readonly principal: Principal;
  /** Sends the outcome of an awaited message, after the request itself was answered. */
  settleAwait(requestId: string, outcome: AwaitOutcome): void;
  /** Keeps how to give up waiting: the client may ask for it, and the end of the connection does it. */
  holdAwait(requestId: string, giveUp: () => void): void;
  cancelAwait(requestId: string): void;
  /** Starts to push every message of the workspace after `after`. */
  tail(after: number): void;
  /** Starts to push what happens in the workspace, messages aside. */
  watch(): void;
  /** The client says it has taken its deliveries up to `upTo`; returns up to where they were really pushed to it. */
  accepted(upTo: number): number;
}

type Handler<N extends OperationName> = (
  caller: Caller,
  params: OperationParams<N>,
  requestId: string,
) => OperationResult<N> | Promise<OperationResult<N>>;

/** What the operations of one topic do. */
export type Handlers<N extends OperationName> = { readonly [Name in N]: Handler<Name> };
