import type { Message } from '@agent-relay/protocol';
import { Wakeup } from './wakeup.ts';

/** The most that is buffered for a slow reader. */
const BUFFERED_MESSAGES = 1024;

/** Requests the messages after a number, or from now on; `onAnswer` is called with the number it starts after. */
type Subscribe = (
  after: number | undefined,
  onAnswer: (answer: { after: number }) => void,
) => Promise<unknown>;

/**
 * Follows every message of the project, each once and in order, across reconnects. For a reader that
 * falls too far behind, messages that do not fit are left with the daemon and requested again.
 */
export class Tail {
  readonly #subscribe: Subscribe;
  readonly #buffer: Message[] = [];
  readonly #wakeup = new Wakeup();
  /** The last one buffered; undefined until the daemon has said what the current number is. */
  #position: number | undefined;
  #behind = false;
  #subscribing = false;
  #ended: { error?: Error } | undefined;

  constructor(subscribe: Subscribe, after: number | undefined) {
    this.#subscribe = subscribe;
    this.#position = after;
  }

  /** False if the message is not accepted: it is a duplicate, or will be requested again. */
  receive(message: Message): boolean {
    if (this.#behind || message.seq <= (this.#position ?? 0)) return false;
    if (this.#buffer.length >= BUFFERED_MESSAGES) {
      this.#behind = true;
      return false;
    }
    this.#position = message.seq;
    this.#buffer.push(message);
    this.#wakeup.notify();
    return true;
  }

  /** Asks the daemon to continue after the last accepted message; at the start, and on each new connection. */
  async resume(): Promise<void> {
    // An unanswered request is repeated on the new connection automatically.
    if (this.#subscribing) return;
    this.#subscribing = true;
    try {
      const asked = this.#position;
      await this.#subscribe(asked, ({ after }) => {
        // The daemon has a new database, whose numbers start over.
        if (asked !== undefined && after < asked) this.#position = after;
        this.#position ??= after;
        // Messages before the answer belong to the old subscription; from here on there is no gap.
        this.#behind = false;
      });
    } catch (error) {
      this.end(error as Error);
    } finally {
      this.#subscribing = false;
    }
  }

  /** Ends the iteration, with the error if there is one. */
  end(error?: Error): void {
    this.#ended ??= error ? { error } : {};
    this.#wakeup.notify();
  }

  async *iterate(): AsyncGenerator<Message, void, void> {
    await this.resume();
    while (true) {
      const next = this.#buffer.shift();
      if (next !== undefined) yield next;
      else if (this.#ended?.error) throw this.#ended.error;
      else if (this.#ended) return;
      else if (this.#behind) await this.resume();
      else await this.#wakeup.wait();
    }
  }
}
