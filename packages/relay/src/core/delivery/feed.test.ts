import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Feed } from './feed.ts';

/** A store and a receiver of one feed, driven step by step. */
class Stream {
  readonly #stored: Array<{ seq: number }> = [];
  readonly #offered: Array<{ seq: number }> = [];
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
            const found = this.#stored.filter(({ seq }) => seq > cursor);
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
      after,
    );
  }

  /** Commits an item; it is offered later, as an answer of the database reaches the domain later. */
  store(): void {
    const item = { seq: (this.#stored.at(-1)?.seq ?? 0) + 1 };
    this.#stored.push(item);
    this.#offered.push(item);
  }

  offerNext(): void {
    const item = this.#offered.shift();
    if (item) this.feed.offer(item);
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
    while (this.#offered.length > 0) this.offerNext();
    this.take(10_000);
    while (this.#reads.length > 0) await this.finishRead();
  }

  get storedSeqs(): number[] {
    return this.#stored.map(({ seq }) => seq);
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
    'hears a receiver that has room again %i turns after the page was read',
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
