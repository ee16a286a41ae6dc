import {
  isPathDown,
  type Message,
  type PathState,
  RECEIVING_PATHS,
  type Reason,
  type ReceivingPath,
} from '@agent-relay/protocol';

/** The last reported state of a path. */
export interface PathStatus {
  state: Exclude<PathState, 'away'>;
  reason?: Reason;
  since: number;
}

/** A connection that can deliver to an agent. One per agent is in use at a time. */
export interface Receiver {
  /** Identifies a program across reconnects. */
  readonly id: string;
  /** Best first, at least one. */
  readonly paths: readonly ReceivingPath[];
  statusOf(path: ReceivingPath): PathStatus;
  /** It is now in use; messages up to `after` were handled by another one. */
  use(after: number): void;
  /** Another one is now in use. */
  rest(): void;
  /** While in use: a message was stored for the agent. */
  offer(message: Message): void;
  /** Messages were stored that were not offered. */
  catchUp(): void;
  /** Up to where messages were pushed to it; whether it passed them on is unknown until it confirms. */
  readonly lastPushed: number;
  /** Whether it already got later messages, and will not get this one. */
  isPast(seq: number): boolean;
}

/** The path that a receiver delivers by now: the best that works. */
export const workingPath = (receiver: Receiver): ReceivingPath | undefined =>
  receiver.paths.find((path) => !isPathDown(receiver.statusOf(path))) ?? receiver.paths[0];

/** The best of its paths decides which receiver is used. */
export const rank = ({ paths }: Pick<Receiver, 'paths'>): number =>
  Math.min(...paths.map((path) => RECEIVING_PATHS.indexOf(path)));
