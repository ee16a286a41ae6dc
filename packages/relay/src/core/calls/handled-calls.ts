import type { ServedCallPayload } from '@agent-relay/protocol';

/** The calls that one connection handles. */
export interface HandledCalls {
  /** Names the connection to all daemons. */
  readonly id: string;
  readonly openCalls: Iterable<ServedCallPayload>;
  /** Whether it was told of the call, and has not answered it. */
  isOpen(callId: string): boolean;
  depthOf(callId: string): number | undefined;
  /** The connection has answered a call; false if it is not one of its open ones. */
  settle(callId: string): boolean;
}
