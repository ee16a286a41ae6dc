import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Feed } from './feed.ts';
import { StoredOrder } from './stored-order.ts';

/** An item that is stored, for this receiver or for another one. */
interface Item {
  seq: number;
  isOurs: boolean;
}

/** A store that several daemons share and a receiver of one feed, driven step by step. */
class Stream {
  readonly #stored: Item[] = [];
  /** What each daemon has stored and the feed's own has not heard of yet. */
  readonly #news = new Map<string, Item[]>();
  readonly #order = new StoredOrder(true);
  readonly #reads: Array<() => void> = [];
  readonly pushed: number[] = [];
  readonly failures: unknown[] = [];
  reads = 0;
  room = 0;
  fails = false;
  /** Large items make short pages. */
  pageLength = Number.POSITIVE_INFINITY;
  readonly feed: Feed<{ seq: number }>;

  constructor(after = 0) {
    this.feed = new Feed(
      {
        read: (cursor, limit) =>
          new Promise((resolve, reject) => {
            this.reads += 1;
            // What is in the store when the read begins is what it finds, however long it takes.
            const found = this.#stored.filter(({ seq, isOurs }) => isOurs && seq > cursor);
            const items = found.slice(0, Math.min(limit, this.pageLength));
            const page = { items, more: items.length < found.length };
            this.#reads.push(() => (this.fails ? reject(new Error('disk')) : resolve(page)));
          }),
        push: ({ seq }) => {
          this.pushed.push(seq);
          this.room -= 1;
        },
        ready: () => this.room > 0,
        failed: (error) => this.failures.push(error),
      },
      this.#order,
      after,
    );
  }

  /** Commits an item; its news comes later, as an answer of the database reaches the domain later. */
  store(daemon = 'own', isOurs = true): void {
    const item = { seq: (this.#stored.at(-1)?.seq ?? 0) + 1, isOurs };
    this.#stored.push(item);
    this.#news.set(daemon, [...(this.#news.get(daemon) ?? []), item]);
  }

  /** The next news of a daemon comes. */
  offerNext(daemon = 'own'): void {
    const item = this.#news.get(daemon)?.shift();
    if (!item) return;
    this.#order.heard(item.seq);
    if (item.isOurs) this.feed.offer(item);
  }

  /** The oldest read under way ends. */
  async finishRead(): Promise<void> {
    this.#reads.shift()?.();
    await settled();
  }

  take(count: number): void {
    this.room += count;
    this.feed.resume();
  }

  /** Lets everything run to its end, with a receiver that takes all. */
  async drain(): Promise<void> {
    for (const [daemon, news] of this.#news) while (news.length > 0) this.offerNext(daemon);
    this.take(10_000);
    while (this.#reads.length > 0) await this.finishRead();
  }

  get storedSeqs(): number[] {
    return this.#stored.flatMap(({ seq, isOurs }) => (isOurs ? [seq] : []));
  }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a feed', () => {
  it('passes on every item once and in order, for any sequence of events', async () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.constant('store' as const) },
      { weight: 4, arbitrary: fc.constant('offer' as const) },
      { weight: 3, arbitrary: fc.constant('read' as const) },
      { weight: 2, arbitrary: fc.integer({ min: 1, max: 80 }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
        const stream = new Stream();
        for (const next of steps) {
          if (next === 'store') stream.store();
          else if (next === 'offer') stream.offerNext();
          else if (next === 'read') await stream.finishRead();
          else stream.take(next);
          expect(stream.pushed).toEqual(stream.storedSeqs.slice(0, stream.pushed.length));
        }
        await stream.drain();
        expect(stream.pushed).toEqual(stream.storedSeqs);
      }),
    );
  });

  it('does so with several daemons and late news', async () => {
    const daemon = fc.constantFrom('own', 'near', 'far');
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ stores: daemon, isOurs: fc.boolean() }) },
      { weight: 4, arbitrary: fc.record({ tells: daemon }) },
      { weight: 3, arbitrary: fc.constant('read' as const) },
      { weight: 2, arbitrary: fc.integer({ min: 1, max: 80 }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
        const stream = new Stream();
        for (const next of steps) {
          if (next === 'read') await stream.finishRead();
          else if (typeof next === 'number') stream.take(next);
          else if ('stores' in next) stream.store(next.stores, next.isOurs);
          else stream.offerNext(next.tells);
          expect(stream.pushed).toEqual(stream.storedSeqs.slice(0, stream.pushed.length));
        }
        await stream.drain();
        expect(stream.pushed).toEqual(stream.storedSeqs);
      }),
    );
  });

  it('reads on after a page that large items made short', async () => {
    const stream = new Stream();
    stream.pageLength = 2;
    for (let i = 0; i < 5; i++) stream.store();
    await stream.drain();
    expect(stream.pushed).toEqual(stream.storedSeqs);
  });

  it('continues after the given cursor', async () => {
    const stream = new Stream(3);
    for (let i = 0; i < 5; i++) stream.store();
    await stream.drain();
    expect(stream.pushed).toEqual([4, 5]);
  });

  it('reads nothing while the receiver keeps up', async () => {
    const stream = new Stream();
    await stream.drain();
    const before = stream.reads;
    for (let i = 0; i < 200; i++) {
      stream.store();
      stream.offerNext();
    }
    expect(stream.pushed).toHaveLength(200);
    expect(stream.reads).toBe(before);
  });

  it('pushes no more than the receiver has room for, and the rest when it has', async () => {
    const stream = new Stream();
    for (let i = 0; i < 300; i++) stream.store();
    stream.take(10);
    await stream.finishRead();
    expect(stream.pushed).toHaveLength(10);
    stream.take(100);
    await stream.finishRead();
    await stream.finishRead();
    expect(stream.pushed).toHaveLength(110);
    await stream.drain();
    expect(stream.pushed).toEqual(stream.storedSeqs);
  });

  it.each([0, 1, 2, 3, 4, 5, 6])(
    'continues when the receiver has room again, %i turns after the page was read',
    async (turns) => {
      const stream = new Stream();
      for (let i = 0; i < 3; i++) stream.store();
      stream.take(1);
      const read = stream.finishRead();
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      stream.take(10);
      await read;
      await stream.finishRead();
      expect(stream.pushed).toEqual([1, 2, 3]);
    },
  );

  it('pushes nothing once it is closed', async () => {
    const stream = new Stream();
    stream.store();
    stream.take(10);
    stream.feed.close();
    await stream.finishRead();
    stream.offerNext();
    stream.feed.resume();
    expect(stream.pushed).toEqual([]);
    expect(stream.reads).toBe(1);
  });

  it('reports a failed read and can continue after it', async () => {
    const stream = new Stream();
    stream.store();
    stream.fails = true;
    stream.take(10);
    await stream.finishRead();
    expect(stream.failures).toEqual([new Error('disk')]);
    stream.fails = false;
    await stream.drain();
    expect(stream.pushed).toEqual([1]);
  });
});
