import { expect, it } from 'vitest';
import { dateOf, MAX_TIME } from './time.ts';

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
