import { RelayError } from '@agent-relay/protocol';
import type { FairReads } from '../../core/reading/fair-reads.ts';
import type { Connection } from '../connections/connection.ts';
import { HIGH_WATER_BYTES } from './limits.ts';

/** Concurrent reads of one connection. */
const AT_ONCE = 2;

interface WaitingRead {
  begin(): void;
  refuse(error: RelayError): void;
}

/**
 * The reads of one connection. None starts until the answers before it were read: a waiting one takes
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

  /** Calls `read` when it is the turn of `who`; resolves with its result. */
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

  /** The client may have read answers: continues if there is room for more. */
  resume(): void {
    while (this.#begun < AT_ONCE && this.#connection.bufferedBytes < HIGH_WATER_BYTES) {
      const next = this.#waiting.shift();
      if (!next) return;
      next.begin();
    }
  }

  /** Started reads are still answered. */
  refuseWaiting(): void {
    for (const { refuse } of this.#waiting.splice(0)) refuse(new RelayError('ShuttingDown'));
  }

  /** No answers are needed any more. */
  close(): void {
    this.#closed = true;
    this.#waiting = [];
  }
}
