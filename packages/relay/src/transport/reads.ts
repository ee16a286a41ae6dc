import { RelayError } from '@agent-relay/protocol';
import type { FairReads } from '../core/reading/fair-reads.ts';
import type { Connection } from './connection.ts';
import { HIGH_WATER_BYTES } from './limits.ts';

/** Reads of one connection that ask for their turn at the same time. */
const AT_ONCE = 2;

interface WaitingRead {
  begin(): void;
  refuse(error: RelayError): void;
}

/**
 * The reads of one connection. None is begun while the answers to those before it are not taken: one that waits holds
 * no more memory than its parameters.
 */
export class Reads {
  readonly #fairReads: FairReads;
  readonly #connection: Connection;
  #waiting: WaitingRead[] = [];
  #begun = 0;
  #closed = false;

  constructor(fairReads: FairReads, connection: Connection) {
    this.#fairReads = fairReads;
    this.#connection = connection;
  }

  /** Resolves with what `read` returns, which is called when it is the turn of `who`. */
  add(who: string, read: () => unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const turn = () => this.#fairReads.take(who, () => (this.#closed ? undefined : read()));
      const begin = () => {
        this.#begun += 1;
        void turn()
          .then(resolve, reject)
          .then(() => {
            this.#begun -= 1;
            this.resume();
          });
      };
      this.#waiting.push({ begin, refuse: reject });
      this.resume();
    });
  }

  /** The client may have taken answers: goes on if there is room for more. */
  resume(): void {
    while (this.#begun < AT_ONCE && this.#connection.bufferedBytes < HIGH_WATER_BYTES) {
      const next = this.#waiting.shift();
      if (!next) return;
      next.begin();
    }
  }

  /** Those that are begun are still answered. */
  refuseWaiting(): void {
    for (const { refuse } of this.#waiting.splice(0)) refuse(new RelayError('ShuttingDown'));
  }

  /** Nobody waits for an answer any more. */
  close(): void {
    this.#closed = true;
    this.#waiting = [];
  }
}
