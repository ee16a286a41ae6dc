import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Batches } from './batches.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('passes on the first change soon, and all later ones together after a pause', () => {
  const handed: string[] = [];
  const batches = new Batches<string>(250, (item) => handed.push(item));
  batches.add('inbox');
  batches.add('messages');
  vi.advanceTimersByTime(0);
  expect(handed).toEqual(['inbox', 'messages']);
  for (let i = 0; i < 1000; i++) batches.add('inbox');
  vi.advanceTimersByTime(249);
  expect(handed).toHaveLength(2);
  vi.advanceTimersByTime(1);
  expect(handed).toEqual(['inbox', 'messages', 'inbox']);
  // A quiet pause ends it: the next one need not wait.
  vi.advanceTimersByTime(250);
  batches.add('agents');
  vi.advanceTimersByTime(0);
  expect(handed.at(-1)).toBe('agents');
});

it('passes on nothing after it is closed', () => {
  const handed: string[] = [];
  const batches = new Batches<string>(250, (item) => handed.push(item));
  batches.add('inbox');
  batches.close();
  vi.advanceTimersByTime(1000);
  expect(handed).toEqual([]);
});
