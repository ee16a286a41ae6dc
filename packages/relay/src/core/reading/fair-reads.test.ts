import { describe, expect, it } from 'vitest';
import { FairReads } from './fair-reads.ts';

/** Reads that end when the test says so; `begun` has them in the order they got their turn. */
function slowReads() {
  const fairReads = new FairReads();
  const begun: string[] = [];
  const open: Array<() => void> = [];
  const read = (who: string, name: string) =>
    fairReads.take(who, () => {
      begun.push(name);
      return new Promise<string>((resolve) => open.push(() => resolve(name)));
    });
  const endOldest = async () => {
    open.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { fairReads, begun, read, endOldest };
}

describe('fair reads', () => {
  it('start at once if nothing is waiting, and return the result', async () => {
    const { begun, read, endOldest } = slowReads();
    const answer = read('alice', 'a1');
    expect(begun).toEqual(['a1']);
    await endOldest();
    expect(await answer).toBe('a1');
  });

  it('alternate between agents, however many reads one of them has', async () => {
    const { begun, read, endOldest } = slowReads();
    for (let i = 1; i <= 100; i++) void read('flood', `f${i}`);
    void read('alice', 'a1');
    void read('bob', 'b1');
    void read('alice', 'a2');
    void read('carol', 'c1');
    expect(begun).toEqual(['f1', 'f2', 'a1', 'b1']);
    for (let i = 0; i < 4; i++) await endOldest();
    expect(begun).toEqual(['f1', 'f2', 'a1', 'b1', 'f3', 'a2', 'c1', 'f4']);
  });

  it('continue after a failed read', async () => {
    const { fairReads, begun, read } = slowReads();
    const failing = Array.from({ length: 8 }, () =>
      fairReads.take('alice', () => Promise.reject(new Error('disk'))),
    );
    const refusing = fairReads.take('alice', () => {
      throw new Error('forbidden');
    });
    for (const one of failing) await expect(one).rejects.toThrow('disk');
    await expect(refusing).rejects.toThrow('forbidden');
    void read('alice', 'a1');
    expect(begun).toEqual(['a1']);
  });
});
