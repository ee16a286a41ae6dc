import type { HistoryMessage, RelayEvent } from '@agent-relay/sdk';
import { changedMessage } from './messages.ts';

/** The newest messages by sequence number, without duplicates, up to a limit. */
export class RecentMessages {
  readonly #most: number;
  #messages: HistoryMessage[] = [];
  #ids = new Set<string>();

  constructor(most: number) {
    this.#most = most;
  }

  add(messages: readonly HistoryMessage[]): void {
    const fresh = messages.filter(({ id }) => !this.#ids.has(id));
    if (fresh.length === 0) return;
    const isInOrder = (fresh[0]?.seq ?? 0) > (this.#messages.at(-1)?.seq ?? 0);
    this.#messages = [...this.#messages, ...fresh];
    if (!isInOrder) this.#messages.sort((one, other) => one.seq - other.seq);
    this.#messages = this.#messages.slice(-this.#most);
    this.#ids = new Set(this.#messages.map(({ id }) => id));
  }

  /** Applies an event to the messages it is about; false if none of them is here. */
  apply(events: readonly RelayEvent[]): boolean {
    const concerned = events.filter((event) => 'messageId' in event && this.#ids.has(event.messageId));
    if (concerned.length === 0) return false;
    this.#messages = this.#messages.map((message) => concerned.reduce(changedMessage, message));
    return true;
  }

  /** A new array each time, so that comparisons detect the change. */
  list(): readonly HistoryMessage[] {
    return [...this.#messages];
  }
}
