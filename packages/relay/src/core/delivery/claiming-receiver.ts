import type { ClaimingPath, ReceivingPath } from '@agent-relay/protocol';
import type { PathStatus, Receiver } from './receiver.ts';

/**
 * A connection that puts messages into the context of an agent that is another program. It is told that there may be
 * something, and claims it when the agent can take it.
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

  statusOf(path: ReceivingPath): PathStatus {
    return this.#statuses.get(path) ?? { state: 'ready', since: this.#since };
  }

  /** What its program says of a path. */
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
    // It claims nothing that it is not told of; what it claims all the same is decided when it asks.
  }

  offer(): void {
    this.#tell();
  }

  catchUp(): void {
    this.#tell();
  }
}
