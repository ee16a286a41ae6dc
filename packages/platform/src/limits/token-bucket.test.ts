import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TokenBucket } from './token-bucket.ts';

const takeAll = (bucket: TokenBucket, now: number): number => {
  let taken = 0;
  while (bucket.take(now) === 0) taken++;
  return taken;
};

it('starts full, refills steadily, and never exceeds its burst', () => {
  const bucket = new TokenBucket({ amount: 2, periodMs: 1000, burst: 10 }, 500);
  expect(takeAll(bucket, 500)).toBe(10);
  expect(takeAll(bucket, 999)).toBe(0);
  expect(takeAll(bucket, 2000)).toBe(3);
  expect(takeAll(bucket, 3_600_000)).toBe(10);
});

it('reports the wait without taking a token', () => {
  const bucket = new TokenBucket({ amount: 1, periodMs: 1000, burst: 1 }, 0);
  for (let i = 0; i < 3; i++) expect(bucket.waitMs(0)).toBe(0);
  bucket.take(0);
  expect([bucket.waitMs(0), bucket.waitMs(400)]).toEqual([1000, 600]);
});

it('has a token after the reported wait, however often it was asked before', () => {
  const times = fc.array(fc.double({ min: 0, max: 50, noNaN: true }), { maxLength: 20 });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      fc.integer({ min: 1, max: 60_000 }),
      times,
      (amount, periodMs, steps) => {
        const bucket = new TokenBucket({ amount, periodMs, burst: 1 }, 0);
        bucket.take(0);
        let now = 0;
        for (const step of steps) {
          now += step;
          bucket.take(now);
        }
        const waitMs = bucket.take(now);
        if (waitMs > 0) expect(bucket.take(now + waitMs)).toBe(0);
      },
    ),
  );
});
