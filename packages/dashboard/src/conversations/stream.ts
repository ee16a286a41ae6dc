import type { HistoryMessage, RelayEvent } from '@agent-relay/sdk';
import { signal } from '@preact/signals';
import { relay } from '../connection/connection.ts';
import { changedMessage } from '../model/messages.ts';
import type { ProjectModel } from '../model/project.ts';
import { type Conversation, isIn, queryOf } from './place.ts';

const PAGE = 50;
/** Of a stream that is followed, only so many are kept; older ones are read again when asked for. */
const KEPT = 200;
/** More at once than anybody reads: then it is shown once a second, and only the newest. */
const FLOOD = 10;
const FLOOD_EVERY_MS = 1_000;
const KEPT_IN_FLOOD = 40;

/** The messages of one conversation, oldest first, kept true while it is open. */
export class Stream {
  readonly messages = signal<readonly HistoryMessage[]>([]);
  /** Whether there are older ones. */
  readonly more = signal(false);
  /** Whether there are newer ones: it was opened at a message further up. */
  readonly newer = signal(false);
  readonly isLoading = signal(true);
  readonly error = signal<Error | undefined>(undefined);
  readonly #conversation: Conversation;
  readonly #me: string;
  readonly #stop: () => void;
  /** Whether somebody looks at its end: then what is far above it can go. */
  isFollowed = true;
  #waiting: HistoryMessage[] = [];
  #flood: ReturnType<typeof setTimeout> | undefined;

  /** Opens at its end, or at a message. */
  constructor(conversation: Conversation, model: ProjectModel, message?: string) {
    this.#conversation = conversation;
    this.#me = model.me;
    this.#stop = model.listen((events) => this.#happened(events));
    void this.#guard(message === undefined ? () => this.#read({}) : () => this.#readAround(message));
  }

  loadNewer(): void {
    const newest = this.messages.peek().at(-1);
    if (newest && this.newer.peek() && !this.isLoading.peek())
      void this.#guard(() => this.#readAfter(newest.seq));
  }

  /** Leaves what was read for the newest messages. */
  jumpToEnd(): void {
    this.messages.value = [];
    this.newer.value = false;
    void this.#guard(() => this.#read({}));
  }

  loadOlder(): void {
    const [oldest] = this.messages.peek();
    if (oldest && this.more.peek() && !this.isLoading.peek())
      void this.#guard(() => this.#read({ before: oldest.seq }));
  }

  close(): void {
    clearTimeout(this.#flood);
    this.#stop();
  }

  async #read(where: { before?: number }): Promise<void> {
    const query = queryOf(this.#conversation, this.#me);
    const { messages, more } = await relay().history({ ...query, ...where, limit: PAGE });
    this.#add(messages);
    this.more.value = more;
  }

  async #readAfter(after: number): Promise<void> {
    const query = queryOf(this.#conversation, this.#me);
    const { messages, more } = await relay().history({ ...query, after, limit: PAGE });
    this.#add(messages);
    this.newer.value = more;
  }

  async #readAround(id: string): Promise<void> {
    const { message } = await relay().trace(id);
    this.isFollowed = false;
    await this.#read({ before: message.seq + 1 });
    await this.#readAfter(message.seq);
  }

  async #guard(read: () => Promise<void>): Promise<void> {
    this.isLoading.value = true;
    try {
      await read();
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
    this.#waiting.push(...fresh);
    if (fresh.length > FLOOD) this.#flood ??= setTimeout(() => this.#show(KEPT_IN_FLOOD), FLOOD_EVERY_MS);
    else if (fresh.length > 0 && this.#flood === undefined) this.#show(KEPT);
    const changes = events.filter((event) => 'messageId' in event && !event.type.startsWith('delivery.'));
    if (changes.length > 0)
      this.messages.value = this.messages.peek().map((message) => changes.reduce(changedMessage, message));
  }

  #show(kept: number): void {
    this.#flood = undefined;
    // Between what is shown and what came now there would be a gap.
    if (!this.newer.peek()) this.#add(this.#waiting);
    this.#waiting = [];
    if (!this.isFollowed || this.messages.peek().length <= kept) return;
    this.messages.value = this.messages.peek().slice(-kept);
    this.more.value = true;
  }
}
