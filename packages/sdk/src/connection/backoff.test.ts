import { expect, test } from 'vitest';
import { backoffDelay } from './backoff.ts';

test('waits up to 50 ms before the first retry, and doubles that up to 5 s', () => {
  const longest = (failures: number) => backoffDelay(failures, {}, () => 1);
  expect([1, 2, 3, 7, 8, 1000].map(longest)).toEqual([50, 100, 200, 3200, 5000, 5000]);
  expect(backoffDelay(8, {}, () => 0)).toBe(0);
  expect(backoffDelay(8, {}, () => 0.5)).toBe(2500);
});
