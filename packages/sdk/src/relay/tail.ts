import type { Message } from '@agent-relay/protocol';
import { Wakeup } from './wakeup.ts';

/** What a reader that does not keep up may leave lying here. */
const BUFFERED_MESSAGES = 1024;

/** Asks for the messages after a number, or from now on; `onAnswer` is called with the number it begins after. */
type Subscribe = (
  after: number | undefined,
  onAnswer: (answer: { after: number }) => void,
) => Promise<unknown>;

/**
 * Follows every message of the project, each once and in order, however often the connection changes. A reader that
 * falls too far behind is not drowned: what does not fit is left with the daemon and asked for again.
 */
export class Tail {
  readonly #subscribe: Subscribe;
  readonly #buffer: Message[] = [];
  readonly #wakeup = new Wakeup();
  /** The last one buffered; undefined until the daemon has said where "now" is. */
  #position: number | undefined;
  #behind = false;
  #subscribing = false;
  #ended: { error?: Error } | undefined;

  constructor(subscribe: Subscribe, after: number | undefined) {
    this.#subscribe = subscribe;
    this.#position = after;
  }

  /** False if the message is not taken: it was before, or will be asked for again. */
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

  /** Asks the daemon to go on after the last message that was taken; for the start, and for each new connection. */
  async resume(): Promise<void> {
    // An unanswered request is repeated on the new connection by itself.
    if (this.#subscribing) return;
    this.#subscribing = true;
    try {
      const asked = this.#position;
      await this.#subscribe(asked, ({ after }) => {
        // The daemon has another database, whose numbers begin anew.
        if (asked !== undefined && after < asked) this.#position = after;
        this.#position ??= after;
        // What came before the answer was of the old subscription; from here on there is no gap.
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
