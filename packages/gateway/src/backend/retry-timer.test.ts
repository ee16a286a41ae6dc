import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RetryTimer } from './retry-timer.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

it('retries forever at the same interval', () => {
  let attempts = 0;
  const timer = new RetryTimer(5000, () => {
    attempts++;
    timer.schedule();
  });
  timer.schedule();
  vi.advanceTimersByTime(3_600_000);
  expect(attempts).toBeGreaterThanOrEqual(720);
  expect(attempts).toBeLessThanOrEqual(800);
});

it('keeps the scheduled attempt when more failures are reported', () => {
  const attempt = vi.fn();
  const timer = new RetryTimer(5000, attempt);
  for (let second = 0; second < 5; second++) {
    timer.schedule();
    vi.advanceTimersByTime(1000);
  }
  expect(attempt).toHaveBeenCalledOnce();
});

it('makes no attempt after it is cancelled, until it is scheduled again', () => {
  const attempt = vi.fn();
  const timer = new RetryTimer(5000, attempt);
  timer.schedule();
  timer.cancel();
  vi.advanceTimersByTime(60_000);
  expect(attempt).not.toHaveBeenCalled();
  timer.schedule();
  vi.advanceTimersByTime(5000);
  expect(attempt).toHaveBeenCalledOnce();
});
