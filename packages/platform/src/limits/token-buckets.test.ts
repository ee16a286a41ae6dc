import { expect, it } from 'vitest';
import { TokenBuckets } from './token-buckets.ts';

const ONE_A_SECOND = { amount: 1, periodMs: 1000, burst: 1 };

it('has a bucket per key, full again after it was dropped', () => {
  const buckets = new TokenBuckets<number>(ONE_A_SECOND);
  expect([buckets.take(1, 0), buckets.take(1, 0), buckets.take(2, 0)]).toEqual([0, 1000, 0]);
  expect([buckets.take(1, 400), buckets.take(3, 400)]).toEqual([600, 0]);
  buckets.forget(1);
  expect(buckets.take(1, 0)).toBe(0);
});

it('drops the least recently used key when there are too many', () => {
  const buckets = new TokenBuckets<string>(ONE_A_SECOND, 2);
  for (const key of ['a', 'b', 'a', 'c']) buckets.take(key, 0);
  expect(buckets.take('a', 0)).toBe(1000);
  expect(buckets.take('c', 0)).toBe(1000);
  expect(buckets.take('b', 0)).toBe(0);
});
