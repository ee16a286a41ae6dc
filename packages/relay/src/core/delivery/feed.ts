import type { StoredOrder } from './stored-order.ts';

/** Anything that is ordered by the store's sequence number. */
interface Sequenced {
  seq: number;
}

export interface FeedReceiver<T extends Sequenced> {
  /** The first items after `after`, at most `limit`, from the store; `more` if there may be others after them. */
  read(after: number, limit: number): Promise<{ items: T[]; more: boolean }>;
  /** Passes one item on. Called in order of seq, each seq once. */
  push(item: T): void;
  /** Whether the receiver can take one more now. When it can again, it calls `resume`. */
  ready(): boolean;
  failed(error: unknown): void;
}

const PAGE = 64;

/**
 * One receiver's ordered stream of stored items. While the receiver keeps up, new items are pushed as they are
 * offered; when it cannot, they are dropped here and read again from the store once it can. So a slow receiver
 * costs no memory, loses nothing, and gets nothing twice. The same when an earlier item may be in the store that was
 * not offered yet: a receiver confirms by one number, so nothing can be pushed after a later item.
 */
export class Feed<T extends Sequenced> {
  readonly #receiver: FeedReceiver<T>;
  readonly #order: StoredOrder;
  #cursor: number;
  /** The gaps in the order that the last read began after. */
  #gaps = 0;
  /** True while everything stored up to now has been pushed, so that an offered item is the next one. */
  #live = false;
  #reading = false;
  #offers = 0;
  #closed = false;

  constructor(receiver: FeedReceiver<T>, order: StoredOrder, after: number) {
    this.#receiver = receiver;
    this.#order = order;
    this.#cursor = after;
  }

  /** A stored item, after its commit, and after the order was notified of it. */
  offer(item: T): void {
    this.#offers += 1;
    if (!this.#live) return;
    if (this.#gaps !== this.#order.gaps) {
      this.catchUp();
      return;
    }
    // A late one was in the store when it was last read.
    if (item.seq <= this.#cursor || this.#order.isLate(item.seq)) return;
    if (!this.#receiver.ready()) {
      this.#live = false;
      return;
    }
    this.#cursor = item.seq;
    this.#receiver.push(item);
  }

  /** The receiver can take more: continue from the store if something was left there. */
  resume(): void {
    if (this.#live || this.#reading || this.#closed) return;
    this.#read().catch((error: unknown) => this.#receiver.failed(error));
  }

  /** Something was stored after the cursor without being offered: read it from the store. */
  catchUp(): void {
    this.#offers += 1;
    this.#live = false;
    this.resume();
  }

  close(): void {
    this.#closed = true;
    this.#live = false;
  }

  async #read(): Promise<void> {
    this.#reading = true;
    try {
      while (!this.#closed && this.#receiver.ready()) {
        const offersBefore = this.#offers;
        const gapsBefore = this.#order.gaps;
        const { items, more } = await this.#receiver.read(this.#cursor, PAGE);
        for (const item of items) {
          if (this.#closed || !this.#receiver.ready()) return;
          this.#cursor = item.seq;
          this.#receiver.push(item);
        }
        // Items offered while the page was being read may be missing in it: only then read again.
        if (!more && this.#offers === offersBefore) {
          this.#gaps = gapsBefore;
          this.#live = !this.#closed;
          return;
        }
      }
    } finally {
      // Synchronous with the decision to stop: a later `resume` must see that no read is running.
      this.#reading = false;
    }
  }
}
