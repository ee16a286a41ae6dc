import { beforeEach, expect, it } from 'vitest';
import { ManualClock } from '../../../../../test/kit/manual-clock.ts';
import { Refusals } from './refusals.ts';

let clock: ManualClock;
let refusals: Refusals;
beforeEach(() => {
  clock = new ManualClock();
  refusals = new Refusals(clock, 100);
});

const charge = (client: string, times: number, bytes = 0) => {
  let waitMs = 0;
  for (let i = 0; i < times; i++) waitMs = refusals.charge(client, bytes);
  return waitMs;
};

it('cost nothing while they are few', () => {
  expect(charge('a', 200)).toBe(0);
  clock.advance(1000);
  expect(charge('a', 100)).toBe(0);
});

it('beyond that delay their client, longer each time, and nobody else', () => {
  expect(charge('a', 201)).toBe(10);
  expect(charge('a', 1)).toBe(20);
  expect(charge('b', 1)).toBe(0);
  clock.advance(2020);
  expect(charge('a', 200)).toBe(0);
});

it.each([-3_600_000, 3_600_000])('are not affected when the clock is set by %i ms', (ms) => {
  charge('a', 200);
  clock.set(ms);
  expect(charge('a', 1)).toBe(10);
});

it('cost more for larger requests', () => {
  expect(charge('a', 2, 1024 * 1024)).toBeGreaterThan(100);
});

it('have a maximum delay', () => {
  expect(charge('a', 1_000_000)).toBe(4000);
});
