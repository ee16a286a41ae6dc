import type { ServedCallPayload } from '@agent-relay/protocol';
import type { CallOrigin } from '../ports/bus.ts';

/** The calls that one connection handles. */
export interface HandledCalls {
  /** Identifies the connection across daemons. */
  readonly id: string;
  readonly openCalls: Iterable<ServedCallPayload>;
  /** Whether it got the call and has not answered it. */
  isOpen(callId: string): boolean;
  depthOf(callId: string): number | undefined;
  /** The caller and arguments of a call that it got and has not answered. */
  askedIn(callId: string): { origin: CallOrigin; call: ServedCallPayload } | undefined;
  /** The connection has answered a call; false if it is not one of its open ones. */
  settle(callId: string): boolean;
}
