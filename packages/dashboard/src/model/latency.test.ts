import { describe, expect, it } from 'vitest';
import { LatencyLog } from './latency.ts';

const MINUTE = 60_000;
const span = { since: 0, until: 4 * MINUTE, stretches: 4 };

describe('how long deliveries took', () => {
  it('is the median and the 95th percentile of each minute', () => {
    const log = new LatencyLog(0);
    for (let number = 1; number <= 100; number++) log.add(`m${number} Bob`, MINUTE + number, number);
    log.add('late Bob', 3 * MINUTE, 7_000);
    expect(log.over(span)).toEqual([
      undefined,
      { half: 50, most: 95, count: 100 },
      undefined,
      { half: 7_000, most: 7_000, count: 1 },
    ]);
  });

  it('counts a delivery once, when it is first seen', () => {
    const log = new LatencyLog(0);
    log.add('m1 Bob', 1, 10);
    log.add('m1 Bob', 2, 5_000);
    log.add('m1 Carol', 3, 20);
    expect(log.over(span)[0]).toEqual({ half: 10, most: 20, count: 2 });
  });

  it('gives a busy minute its weight, without keeping all of it', () => {
    const log = new LatencyLog(0);
    for (let number = 0; number < 3_000; number++) log.add(`a${number}`, 1, 10);
    for (let number = 0; number < 100; number++) log.add(`b${number}`, MINUTE + 1, 900);
    expect(log.over({ ...span, stretches: 1 })).toEqual([{ half: 10, most: 10, count: 3_100 }]);
  });
});
