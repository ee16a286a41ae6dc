import {
  type Message,
  type PathState,
  RECEIVING_PATHS,
  type Reason,
  type ReceivingPath,
} from '@agent-relay/protocol';

/** What a connection last said of one of its paths. */
export interface PathStatus {
  state: Exclude<PathState, 'away'>;
  reason?: Reason;
  since: number;
}

/** A connection that can bring an agent its mail. One of an agent's is in use at a time. */
export interface Receiver {
  /** Tells a program from others, also after it reconnected. */
  readonly id: string;
  /** Best first, at least one. */
  readonly paths: readonly ReceivingPath[];
  statusOf(path: ReceivingPath): PathStatus;
  /** It is the one in use from now on; mail up to `after` was taken by another one. */
  use(after: number): void;
  /** Another one is. */
  rest(): void;
  /** While in use: a message was stored for the agent. */
  offer(message: Message): void;
  /** Messages were stored that were not offered. */
  catchUp(): void;
  /** Up to where messages were pushed to it; whether it has handed them on is not known until it says so. */
  readonly lastPushed: number;
  /** Whether it was given later messages, and will not be given this one any more. */
  isPast(seq: number): boolean;
}

/** The path that a receiver delivers by now: the best that works. */
export const workingPath = (receiver: Receiver): ReceivingPath | undefined =>
  receiver.paths.find((path) => receiver.statusOf(path).reason?.code !== 'no_hook') ?? receiver.paths[0];

/** The best of its paths decides which receiver is used. */
export const rank = ({ paths }: Pick<Receiver, 'paths'>): number =>
  Math.min(...paths.map((path) => RECEIVING_PATHS.indexOf(path)));
