import { type ClaimingPath, type ReceivingPath, reason } from '@agent-relay/protocol';
import type { PathStatus, Receiver } from './receiver.ts';

/**
 * A connection that puts messages into another program's context. It is notified that there may be
 * messages, and claims them when the agent can take them.
 */
export class ClaimingReceiver implements Receiver {
  readonly id: string;
  readonly paths: readonly ClaimingPath[];
  readonly #since: number;
  readonly #statuses = new Map<ReceivingPath, PathStatus>();
  /** Nothing is pushed to it. */
  readonly lastPushed = 0;
  readonly #tell: () => void;

  constructor(
    { id, since, paths }: { id: string; since: number; paths: readonly ClaimingPath[] },
    tell: () => void,
  ) {
    this.id = id;
    this.#since = since;
    this.paths = paths;
    this.#tell = tell;
  }

  /** Its program connects before the agent can take messages, and then says when it can. */
  statusOf(path: ReceivingPath): PathStatus {
    return this.#statuses.get(path) ?? { state: 'waits', reason: reason('starting'), since: this.#since };
  }

  hasReported(path: ReceivingPath): boolean {
    return this.#statuses.has(path);
  }

  /** The state of a path, as reported by its program. */
  note(path: ClaimingPath, status: PathStatus): void {
    this.#statuses.set(path, status);
  }

  isPast(): boolean {
    return false;
  }

  use(): void {
    this.#tell();
  }

  rest(): void {
    // Claims are decided on request, not here.
  }

  offer(): void {
    this.#tell();
  }

  catchUp(): void {
    this.#tell();
  }
}
