import type { HistoryMessage, RelayEvent } from '@agent-relay/sdk';
import { signal } from '@preact/signals';
import { relay } from '../connection/connection.ts';
import { changedMessage } from '../model/messages.ts';
import type { ProjectModel } from '../model/project.ts';
import { type Conversation, isIn, queryOf } from './place.ts';

const PAGE = 50;
/** Of a stream that is left open all day, only so many are kept; older ones are read again when asked for. */
const KEPT = 400;

/** The messages of one conversation, oldest first, kept true while it is open. */
export class Stream {
  readonly messages = signal<readonly HistoryMessage[]>([]);
  /** Whether there are older ones. */
  readonly more = signal(false);
  readonly isLoading = signal(true);
  readonly error = signal<Error | undefined>(undefined);
  readonly #conversation: Conversation;
  readonly #me: string;
  readonly #stop: () => void;

  constructor(conversation: Conversation, model: ProjectModel) {
    this.#conversation = conversation;
    this.#me = model.me;
    this.#stop = model.listen((events) => this.#happened(events));
    void this.#read({});
  }

  loadOlder(): void {
    const [oldest] = this.messages.peek();
    if (oldest && this.more.peek() && !this.isLoading.peek()) void this.#read({ before: oldest.seq });
  }

  close(): void {
    this.#stop();
  }

  async #read(where: { before?: number }): Promise<void> {
    this.isLoading.value = true;
    try {
      const query = queryOf(this.#conversation, this.#me);
      const { messages, more } = await relay().history({ ...query, ...where, limit: PAGE });
      this.#add(messages);
      this.more.value = more;
      this.error.value = undefined;
    } catch (error) {
      this.error.value = error as Error;
    } finally {
      this.isLoading.value = false;
    }
  }

  #add(messages: readonly HistoryMessage[]): void {
    const known = new Map(this.messages.peek().map((message) => [message.id, message]));
    for (const message of messages) known.set(message.id, message);
    this.messages.value = [...known.values()].sort((one, other) => one.seq - other.seq);
  }

  #happened(events: readonly RelayEvent[]): void {
    const fresh = events.flatMap((event) =>
      event.type === 'message.created' && isIn(event.message, this.#conversation, this.#me)
        ? [event.message]
        : [],
    );
    if (fresh.length > 0) {
      this.#add(fresh);
      if (this.messages.peek().length > KEPT) {
        this.messages.value = this.messages.peek().slice(-KEPT);
        this.more.value = true;
      }
    }
    const changes = events.filter((event) => 'messageId' in event && !event.type.startsWith('delivery.'));
    if (changes.length > 0)
      this.messages.value = this.messages.peek().map((message) => changes.reduce(changedMessage, message));
  }
}
