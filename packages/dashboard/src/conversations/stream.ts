import type { HistoryMessage, RelayEvent } from '@agent-relay/sdk';
import { batch, signal } from '@preact/signals';
import { relay } from '../connection/connection.ts';
import { changedMessage } from '../model/messages.ts';
import type { ProjectModel } from '../model/project.ts';
import type { Problem } from '../parts/trouble.tsx';
import { type Conversation, isIn, queryOf } from './place.ts';

const PAGE = 50;
/** How many messages around the person are kept; others are read again on demand. */
const KEPT = 240;
/** The part of them that is above what the person sees first. */
const ABOVE = 1 / 3;
/** Above this rate nobody can read along: only the newest messages are shown, once a second. */
const FLOOD = 10;
const FLOOD_EVERY_MS = 1_000;
const KEPT_IN_FLOOD = 40;
/** Drawn per task; the page handles input in between. */
const DRAWN_AT_ONCE = 8;

/** The messages of one conversation around the person, oldest first without a gap, updated live while it is open. */
export class Stream {
  readonly messages = signal<readonly HistoryMessage[]>([]);
  /** Whether there are older ones. */
  readonly more = signal(false);
  /** Whether there are newer ones, because it was opened or is read at an older message. */
  readonly newer = signal(false);
  readonly isLoading = signal(true);
  readonly error = signal<Problem | undefined>(undefined);
  readonly #conversation: Conversation;
  readonly #me: string;
  readonly #stop: () => void;
  #inView: number | undefined;
  /** Whether all that is kept is in view, on a very tall screen: more would be dropped again. */
  #isFull = false;
  /** The number of the last read: the answer to an earlier one may belong elsewhere by now. */
  #turn = 0;
  #waiting: HistoryMessage[] = [];
  /** Came during a read: they may be missing in its answer. */
  #meanwhile: HistoryMessage[] = [];
  #flood: ReturnType<typeof setTimeout> | undefined;
  #drawing: ReturnType<typeof setTimeout> | undefined;
  /** Messages still to be drawn. */
  #undrawn: readonly HistoryMessage[] = [];

  /** Opens at the end, or at a message. */
  constructor(conversation: Conversation, model: Pick<ProjectModel, 'me' | 'listen'>, message?: string) {
    this.#conversation = conversation;
    this.#me = model.me;
    // What happens meanwhile may be far from the message.
    this.newer.value = message !== undefined;
    this.#stop = model.listen((events) => this.#happened(events));
    void this.#load(() => (message === undefined ? this.#newest() : this.#around(message)));
  }

  /** The number of a message that the person sees; none at the end, where new messages are followed. */
  get inView(): number | undefined {
    return this.#inView;
  }

  set inView(seq: number | undefined) {
    if (seq !== this.#inView) this.#isFull = false;
    this.#inView = seq;
  }

  /** `still` resolves when the list can be changed. */
  loadNewer(still: () => Promise<void>): void {
    const newest = this.messages.peek().at(-1);
    if (!newest || !this.newer.peek() || !this.#canLoad()) return;
    void this.#load(async () => {
      const { messages, more } = await this.#read({ after: newest.seq });
      await still();
      return () => {
        this.#showToEnd([...this.messages.peek(), ...messages], more);
        this.#isFull = this.messages.peek().at(-1)?.seq === newest.seq;
      };
    });
  }

  loadOlder(still: () => Promise<void>): void {
    const [oldest] = this.messages.peek();
    if (!oldest || !this.more.peek() || !this.#canLoad()) return;
    void this.#load(async () => {
      const { messages, more } = await this.#read({ before: oldest.seq });
      await still();
      return () => {
        this.more.value = more;
        this.#show([...messages, ...this.messages.peek()]);
        this.#isFull = this.messages.peek()[0]?.seq === oldest.seq;
      };
    });
  }

  /** Jumps to the newest messages. */
  jumpToEnd(): void {
    this.inView = undefined;
    void this.#load(() => this.#newest());
  }

  close(): void {
    clearTimeout(this.#flood);
    clearTimeout(this.#drawing);
    this.#turn++;
    this.#stop();
  }

  async #newest(): Promise<() => void> {
    const { messages, more } = await this.#read({});
    return () => {
      this.more.value = more;
      this.#showToEnd(messages, false);
    };
  }

  async #around(id: string): Promise<() => void> {
    const { message } = await relay().trace(id);
    this.inView = message.seq;
    const [before, after] = await Promise.all([
      this.#read({ before: message.seq + 1 }),
      this.#read({ after: message.seq }),
    ]);
    return () => {
      this.more.value = before.more;
      this.#showToEnd([...before.messages, ...after.messages], after.more);
    };
  }

  #canLoad(): boolean {
    return !this.isLoading.peek() && !this.#isFull;
  }

  #read(where: { before?: number; after?: number }) {
    return relay().history({ ...queryOf(this.#conversation, this.#me), ...where, limit: PAGE });
  }

  /** Reads, and then shows it in one step, so that no half of it is drawn. */
  async #load(read: () => Promise<() => void>): Promise<void> {
    const turn = ++this.#turn;
    this.#meanwhile = [];
    this.isLoading.value = true;
    let show = (): void => undefined;
    let problem: Problem | undefined;
    try {
      show = await read();
    } catch (error) {
      problem = error as Problem;
    }
    if (turn !== this.#turn) return;
    batch(() => {
      show();
      this.error.value = problem;
      this.isLoading.value = false;
    });
  }

  /** Shows messages up to the newest ones, unless there are more. */
  #showToEnd(messages: readonly HistoryMessage[], more: boolean): void {
    this.newer.value = more;
    this.#show(more ? messages : [...messages, ...this.#meanwhile]);
  }

  /** Each once and in order; of too many, those around the person. */
  #show(messages: readonly HistoryMessage[], kept = KEPT): void {
    const known = new Map(messages.map((message) => [message.id, message]));
    const all = [...known.values()].sort((one, other) => one.seq - other.seq);
    const { inView } = this;
    const at = inView === undefined ? all.length : all.findLastIndex(({ seq }) => seq <= inView);
    const from = Math.max(0, Math.min(at - kept * ABOVE, all.length - kept));
    batch(() => {
      if (from > 0) this.more.value = true;
      if (from + kept < all.length) this.newer.value = true;
      this.messages.value = all.slice(from, from + kept);
    });
  }

  #happened(events: readonly RelayEvent[]): void {
    const fresh = events.flatMap((event) =>
      event.type === 'message.created' && isIn(event.message, this.#conversation, this.#me)
        ? [event.message]
        : [],
    );
    if (this.isLoading.peek()) this.#meanwhile.push(...fresh);
    this.#waiting.push(...fresh);
    if (fresh.length > FLOOD) this.#flood ??= setTimeout(() => this.#showFlood(), FLOOD_EVERY_MS);
    else if (fresh.length > 0 && this.#flood === undefined) this.#showWaiting();
    const changes = events.filter((event) => 'messageId' in event && !event.type.startsWith('delivery.'));
    if (changes.length > 0)
      this.messages.value = this.messages.peek().map((message) => changes.reduce(changedMessage, message));
  }

  #showWaiting(): void {
    const fresh = this.#waiting;
    this.#waiting = [];
    // Appending would leave a gap to the messages shown.
    if (!this.newer.peek()) this.#show([...this.messages.peek(), ...fresh]);
  }

  #showFlood(): void {
    this.#flood = undefined;
    const fresh = [...this.#undrawn, ...this.#waiting].slice(-KEPT_IN_FLOOD);
    this.#waiting = [];
    if (this.newer.peek()) return;
    // A person who has scrolled up keeps their place; the new rows would be out of view.
    if (this.inView !== undefined) this.newer.value = true;
    else this.#draw(fresh);
  }

  /** A few at a time, the oldest first. */
  #draw(fresh: readonly HistoryMessage[]): void {
    clearTimeout(this.#drawing);
    this.#undrawn = [];
    // They have scrolled up meanwhile.
    if (this.inView !== undefined) {
      this.newer.value = true;
      return;
    }
    this.#show([...this.messages.peek(), ...fresh.slice(0, DRAWN_AT_ONCE)], KEPT_IN_FLOOD);
    this.#undrawn = fresh.slice(DRAWN_AT_ONCE);
    if (this.#undrawn.length > 0) this.#drawing = setTimeout(() => this.#draw(this.#undrawn));
  }
}
