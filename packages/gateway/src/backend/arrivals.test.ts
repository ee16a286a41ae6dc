import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Arrivals } from './arrivals.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Whether the wait is over by now. */
function follow(wait: Promise<void>): () => boolean {
  let over = false;
  void wait.then(() => {
    over = true;
  });
  return () => over;
}

it('ends at once if nothing is expected', async () => {
  await new Arrivals().over(2000);
});

it('ends when all have connected or failed', async () => {
  const arrivals = new Arrivals();
  const [one, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  arrivals.expect(one.promise);
  arrivals.expect(other.promise);
  const isOver = follow(arrivals.over(2000));
  one.resolve();
  await vi.advanceTimersByTimeAsync(0);
  expect(isOver()).toBe(false);
  other.reject(new Error('refused'));
  await vi.advanceTimersByTimeAsync(0);
  expect(isOver()).toBe(true);
});

it('continues while others arrive, and ends after a pause without any', async () => {
  const arrivals = new Arrivals();
  arrivals.expect(new Promise(() => undefined));
  const later = Promise.withResolvers<void>();
  arrivals.expect(later.promise);
  const isOver = follow(arrivals.over(2000));
  await vi.advanceTimersByTimeAsync(1900);
  later.resolve();
  await vi.advanceTimersByTimeAsync(1900);
  expect(isOver()).toBe(false);
  await vi.advanceTimersByTimeAsync(100);
  expect(isOver()).toBe(true);
});

it('waits only once for one that hangs', async () => {
  const arrivals = new Arrivals();
  arrivals.expect(new Promise(() => undefined));
  await vi.advanceTimersByTimeAsync(2000);
  const again = follow(arrivals.over(2000));
  await vi.advanceTimersByTimeAsync(0);
  expect(again()).toBe(true);
  arrivals.expect(new Promise(() => undefined));
  const once = follow(arrivals.over(2000));
  await vi.advanceTimersByTimeAsync(1999);
  expect(once()).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(once()).toBe(true);
});
