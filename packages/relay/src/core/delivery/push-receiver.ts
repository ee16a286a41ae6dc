import type { Message, ReceivingPath } from '@agent-relay/protocol';
import type { Ongoing } from '../operations/caller.ts';
import { Feed, type FeedReceiver } from './feed.ts';
import type { PathStatus, Receiver } from './receiver.ts';
import type { StoredOrder } from './stored-order.ts';

/** Deliveries pushed and not yet accepted by the client. */
const WINDOW = 256;

const PATHS: readonly ReceivingPath[] = ['push'];

type ReadUnread = (after: number, limit: number) => Promise<{ items: Message[]; more: boolean }>;

/** A program that is the agent itself: its messages are pushed in order, no faster than it accepts them. */
export class PushReceiver implements Receiver, FeedReceiver<Message> {
  readonly id: string;
  readonly paths = PATHS;
  readonly #since: number;
  readonly #ongoing: Ongoing;
  readonly #order: StoredOrder;
  readonly #readUnread: ReadUnread;
  #feed: Feed<Message> | undefined;
  /** Sequence numbers pushed and not yet accepted, oldest first. */
  #inFlight: number[] = [];
  #lastPushed: number;

  constructor(
    { id, since, after }: { id: string; since: number; after: number },
    ongoing: Ongoing,
    order: StoredOrder,
    readUnread: ReadUnread,
  ) {
    this.id = id;
    this.#since = since;
    this.#lastPushed = after;
    this.#ongoing = ongoing;
    this.#order = order;
    this.#readUnread = readUnread;
    ongoing.onRoom = () => this.#feed?.resume();
  }

  /** A program has no state to report. */
  statusOf(): PathStatus {
    return { state: 'ready', since: this.#since };
  }

  use(after: number): void {
    this.#lastPushed = Math.max(this.#lastPushed, after);
    this.#inFlight = [];
    this.#feed = new Feed<Message>(this, this.#order, this.#lastPushed);
    this.#feed.resume();
  }

  rest(): void {
    this.#feed?.close();
    this.#feed = undefined;
  }

  offer(message: Message): void {
    this.#feed?.offer(message);
  }

  catchUp(): void {
    this.#feed?.catchUp();
  }

  /** Up to where messages were pushed to it, accepted or not. */
  get lastPushed(): number {
    return this.#lastPushed;
  }

  isPast(seq: number): boolean {
    return seq < this.#lastPushed && !this.#inFlight.includes(seq);
  }

  /** The client has accepted everything up to `upTo`; returns up to where messages were actually pushed. */
  accepted(upTo: number): number {
    const taken = Math.min(upTo, this.#lastPushed);
    const left = this.#inFlight.findIndex((seq) => seq > taken);
    if (left === -1) this.#inFlight = [];
    else if (left > 0) this.#inFlight.splice(0, left);
    this.#feed?.resume();
    return taken;
  }

  // ── For its feed ───────────────────────────────────────────────────────────

  read(after: number, limit: number): ReturnType<ReadUnread> {
    return this.#readUnread(after, limit);
  }

  push(message: Message): void {
    this.#inFlight.push(message.seq);
    this.#lastPushed = message.seq;
    this.#ongoing.deliver(message);
  }

  ready(): boolean {
    return this.#inFlight.length < WINDOW && this.#ongoing.hasRoom;
  }

  failed(error: unknown): void {
    this.#ongoing.lost(error);
  }
}
