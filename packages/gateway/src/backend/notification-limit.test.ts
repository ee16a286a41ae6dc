import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { NotificationLimit } from './notification-limit.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

it('allows a burst of ten seconds, drops the rest, and refills over time', () => {
  const limit = new NotificationLimit(10, () => undefined);
  let passed = 0;
  const send = (count: number) => {
    for (let sent = 0; sent < count; sent++) limit.pass(() => passed++);
  };
  send(1000);
  expect([passed, limit.dropped]).toEqual([100, 900]);
  vi.advanceTimersByTime(1000);
  send(1000);
  expect([passed, limit.dropped]).toEqual([110, 1890]);
  vi.advanceTimersByTime(3_600_000);
  send(1000);
  expect(passed).toBe(210);
});

it('reports dropping when it starts, then once a minute', () => {
  let told = 0;
  const limit = new NotificationLimit(1, () => told++);
  for (let second = 0; second < 180; second++) {
    for (let sent = 0; sent < 100; sent++) limit.pass(() => undefined);
    vi.advanceTimersByTime(1000);
  }
  expect(told).toBe(3);
});

it('keeps the latest notification per key, and sends them in order when there is room', () => {
  const limit = new NotificationLimit(10, () => undefined);
  for (let sent = 0; sent < 100; sent++) limit.pass(() => undefined);
  const passed: string[] = [];
  for (let sent = 1; sent <= 50; sent++) {
    for (const key of ['a', 'b']) limit.passLatest(key, () => passed.push(`${key}${sent}`));
  }
  limit.pass(() => passed.push('no room while others wait'));
  expect(passed).toEqual([]);
  vi.advanceTimersByTime(10_000);
  expect(passed).toEqual(['a50', 'b50']);
  expect(limit.dropped).toBe(99);
  limit.passLatest('a', () => passed.push('at once'));
  expect(passed).toContain('at once');
});

it('sends nothing after it is closed', () => {
  const limit = new NotificationLimit(1, () => undefined);
  for (let sent = 0; sent < 10; sent++) limit.pass(() => undefined);
  limit.passLatest('a', expect.unreachable);
  limit.close();
  vi.advanceTimersByTime(10_000);
});
