import { expect, it } from 'vitest';
import { CallTime } from './call-time.ts';

it('waits as long as the daemon grants, unless the caller has said how long', () => {
  const [open, chosen] = [new CallTime(undefined), new CallTime(50)];
  const wait = open.deadline - performance.now();
  for (const time of [open, chosen]) time.granted(300_000);
  expect([open.ms, chosen.ms]).toEqual([300_000, 50]);
  expect(open.deadline - performance.now()).toBeGreaterThan(wait + 200_000);
  expect(chosen.left).toBeLessThanOrEqual(50);
});
