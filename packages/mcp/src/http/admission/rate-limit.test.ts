import { afterEach, expect, it, vi } from 'vitest';
import { RateLimit } from './rate-limit.ts';

afterEach(() => vi.useRealTimers());

it('is not affected when the clock is set back', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const limit = new RateLimit(60);
  limit.take('alice');
  vi.setSystemTime(Date.now() - 3_600_000);
  limit.take('alice');
});

it('allows the rate, then says when the next request is possible', () => {
  let now = 0;
  const limit = new RateLimit(60, () => now);
  for (let i = 0; i < 60; i++) limit.take('alice');
  expect(() => limit.take('alice')).toThrow(
    expect.objectContaining({ code: 'Overloaded', details: { retryAfterMs: 1000 } }),
  );
  limit.take('bob');
  now += 1000;
  limit.take('alice');
  expect(() => limit.take('alice')).toThrow('More than 60 requests a minute.');
  now += 3_600_000;
  for (let i = 0; i < 60; i++) limit.take('alice');
  expect(() => limit.take('alice')).toThrow('More than 60 requests a minute.');
});

it('admits a caller after the announced wait, however often it asked meanwhile', () => {
  let now = 0;
  const limit = new RateLimit(60, () => now);
  for (let i = 0; i < 60; i++) limit.take('alice');
  for (const wait of [1000, 600, 200]) {
    expect(() => limit.take('alice')).toThrow(expect.objectContaining({ details: { retryAfterMs: wait } }));
    now += wait === 200 ? 200 : 400;
  }
  limit.take('alice');
});
