import { expect, it } from 'vitest';
import { dateOf, durationText, MAX_TIME, possibleTime } from './time.ts';

it.each([
  [0, '1970-01-01T00:00:00.000Z'],
  [MAX_TIME, '+275760-09-13T00:00:00.000Z'],
  [MAX_TIME + 1, '+275760-09-13T00:00:00.000Z'],
  [1e300, '+275760-09-13T00:00:00.000Z'],
  [-1e300, '-271821-04-20T00:00:00.000Z'],
  [Number.NaN, '1970-01-01T00:00:00.000Z'],
])('the time %d can always be written', (time, written) => {
  expect(dateOf(time).toISOString()).toBe(written);
});

it.each([
  [7, 7],
  [-1, 0],
  [MAX_TIME + 1, MAX_TIME],
])('the time %d is exported as %d', (time, exported) => {
  expect(possibleTime(time)).toBe(exported);
});

it.each([
  [250, '250 ms'],
  [1000, '1 s'],
  [1500, '1.5 s'],
  [90_000, '90 s'],
  [125_000, '125 s'],
  [600_000, '10 min'],
  [5_400_000, '90 min'],
  [86_400_000, '24 h'],
])('%d milliseconds are %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
