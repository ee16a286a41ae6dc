import type { Duplex } from 'node:stream';

/** How long an event for a watcher may be delayed after another one; too short to notice. */
const GROUP_MS = 10;

/**
 * Writes to a socket in groups, each one system call: what is sent in one turn of the event loop, and what can wait until
 * `GROUP_MS` after the last group. Ten dashboards would otherwise cost ten system calls for each event of each message.
 */
export class GroupedWrites {
  readonly #socket: Duplex;
  #state: 'empty' | 'waits' | 'is due' = 'empty';
  #lastAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(socket: Duplex) {
    this.#socket = socket;
  }

  /** Call before each write. */
  begin(canWait: boolean): void {
    if (this.#state === 'empty') this.#socket.cork();
    if (this.#state === 'is due') return;
    const waitMs = canWait ? this.#lastAt + GROUP_MS - performance.now() : 0;
    if (waitMs > 0) {
      this.#timer ??= setTimeout(() => this.#end(), waitMs);
      this.#state = 'waits';
    } else {
      this.#state = 'is due';
      process.nextTick(() => this.#end());
    }
  }

  #end(): void {
    if (this.#state === 'empty') return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#state = 'empty';
    this.#lastAt = performance.now();
    this.#socket.uncork();
  }
}
