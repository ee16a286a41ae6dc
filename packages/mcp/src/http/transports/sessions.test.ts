import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HttpSessions } from './sessions.ts';

const IDLE_MS = 1000;
const HOUR_MS = 3_600_000;

const onerror = (error: unknown): never => {
  throw error;
};
let sessions: HttpSessions<{ owner: string; account: string; close(): Promise<void> }>;
beforeEach(() => {
  vi.useFakeTimers();
  sessions = new HttpSessions({ idleMs: IDLE_MS, room: { most: 10, mostOfAccount: 10 }, onerror });
  sessions.add('one', { owner: 'alice', account: 'local', close: async () => undefined });
});
afterEach(async () => {
  await sessions.close();
  vi.useRealTimers();
});

it('end after a period without use', () => {
  vi.advanceTimersByTime(IDLE_MS);
  expect(sessions.size).toBe(1);
  vi.advanceTimersByTime(IDLE_MS);
  expect(sessions.size).toBe(0);
});

it.each([-HOUR_MS, HOUR_MS])('are not affected when the clock is set by %i ms', (ms) => {
  vi.setSystemTime(Date.now() + ms);
  vi.advanceTimersByTime(IDLE_MS);
  expect(sessions.size).toBe(1);
  vi.advanceTimersByTime(IDLE_MS);
  expect(sessions.size).toBe(0);
});
