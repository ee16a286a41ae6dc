import type { HistoryMessage, RelayEvent } from '@agent-relay/sdk';
import { signal } from '@preact/signals';
import { relay } from '../connection/connection.ts';
import { changedMessage } from '../model/messages.ts';
import type { ProjectModel } from '../model/project.ts';
import type { Problem } from '../parts/trouble.tsx';
import { type Conversation, isIn, queryOf } from './place.ts';

const PAGE = 50;
/** How many messages of a live stream are kept; older ones are fetched again on demand. */
const KEPT = 200;
/** Above this rate nobody can read along: only the newest messages are shown, once a second. */
const FLOOD = 10;
const FLOOD_EVERY_MS = 1_000;
const KEPT_IN_FLOOD = 40;
/** Drawn per task; the page handles input in between. */
const DRAWN_AT_ONCE = 8;

/** The messages of one conversation, oldest first, updated live while it is open. */
export class Stream {
  readonly messages = signal<readonly HistoryMessage[]>([]);
  /** Whether there are older ones. */
  readonly more = signal(false);
  /** Whether there are newer ones, because it was opened at an older message. */
  readonly newer = signal(false);
  readonly isLoading = signal(true);
  readonly error = signal<Problem | undefined>(undefined);
  readonly #conversation: Conversation;
  readonly #me: string;
  readonly #stop: () => void;
  /** Whether the person is at its end: messages far above it can then be dropped. */
  isFollowed = true;
  #waiting: HistoryMessage[] = [];
  #flood: ReturnType<typeof setTimeout> | undefined;
  #drawing: ReturnType<typeof setTimeout> | undefined;
  /** Messages still to be drawn. */
  #undrawn: readonly HistoryMessage[] = [];

  /** Opens at the end, or at a message. */
  constructor(conversation: Conversation, model: Pick<ProjectModel, 'me' | 'listen'>, message?: string) {
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

  /** Jumps to the newest messages. */
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
    clearTimeout(this.#drawing);
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
      this.error.value = error as Problem;
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
    if (fresh.length > FLOOD) this.#flood ??= setTimeout(() => this.#showFlood(), FLOOD_EVERY_MS);
    else if (fresh.length > 0 && this.#flood === undefined) this.#show(KEPT);
    const changes = events.filter((event) => 'messageId' in event && !event.type.startsWith('delivery.'));
    if (changes.length > 0)
      this.messages.value = this.messages.peek().map((message) => changes.reduce(changedMessage, message));
  }

  #show(kept: number): void {
    // Appending would leave a gap to the messages shown.
    if (!this.newer.peek()) this.#add(this.#waiting);
    this.#waiting = [];
    this.#trim(kept);
  }

  #showFlood(): void {
    this.#flood = undefined;
    const fresh = [...this.#undrawn, ...this.#waiting].slice(-KEPT_IN_FLOOD);
    this.#waiting = [];
    if (this.newer.peek()) return;
    // A person who has scrolled up keeps their place; the new rows would be out of view.
    if (!this.isFollowed) this.newer.value = true;
    else this.#draw(fresh);
  }

  /** A few at a time, the oldest first. */
  #draw(fresh: readonly HistoryMessage[]): void {
    clearTimeout(this.#drawing);
    this.#add(fresh.slice(0, DRAWN_AT_ONCE));
    this.#trim(KEPT_IN_FLOOD);
    this.#undrawn = fresh.slice(DRAWN_AT_ONCE);
    if (this.#undrawn.length > 0) this.#drawing = setTimeout(() => this.#draw(this.#undrawn));
  }

  #trim(kept: number): void {
    if (!this.isFollowed || this.messages.peek().length <= kept) return;
    this.messages.value = this.messages.peek().slice(-kept);
    this.more.value = true;
  }
}
