import { describe, expect, it } from 'vitest';
import { idMaker } from './ids.ts';

const NOW = 1_800_000_000_000;

describe('ids', () => {
  it('are the prefix and fifteen unambiguous letters', () => {
    expect(idMaker(() => NOW, Math.random)('msg')).toMatch(/^msg_[0-9a-hjkmnp-tv-z]{15}$/);
  });

  it('are unique and sorted, also a hundred thousand in one millisecond', () => {
    const newId = idMaker(() => NOW, Math.random);
    const ids = Array.from({ length: 100_000 }, () => newId('msg'));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.toSorted()).toEqual(ids);
  });

  it('never wrap around within a millisecond, whatever the random start', () => {
    const newId = idMaker(
      () => NOW,
      () => 1 - Number.EPSILON,
    );
    const first = newId('msg');
    for (let i = 0; i < 1000; i++) newId('msg');
    expect(newId('msg') > first).toBe(true);
  });

  it('stay sorted when the clock moves on, and when it steps back', () => {
    let now = NOW;
    const newId = idMaker(() => now, Math.random);
    const ids = [0, 1, 1, 5000, -60_000, 0, 31, 32].map((step) => {
      now += step;
      return newId('msg');
    });
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('of two generators in the same millisecond differ only by their random start', () => {
    const one = idMaker(() => NOW, Math.random)('msg');
    const other = idMaker(() => NOW, Math.random)('msg');
    expect(one).not.toBe(other);
  });
});
