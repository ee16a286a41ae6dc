import { describe, expect, it } from 'vitest';
import { fold } from './folding.ts';

const items = (...heights: number[]) => heights.map((height, index) => ({ id: `i${index}`, height }));
const none: ReadonlySet<string> = new Set();
const fresh = { room: 400, used: none, chosen: none };
const shown = (folding: ReturnType<typeof fold>) => [
  [...folding.open].sort(),
  [...folding.lines].sort(),
  folding.hidden,
];

describe('a list of what waits', () => {
  it('shows three in full, three as lines, and the number of the rest', () => {
    expect(shown(fold(items(100, 100, 100), fresh))).toEqual([['i0', 'i1', 'i2'], [], 0]);
    expect(shown(fold(items(...Array(9).fill(100)), fresh))).toEqual([
      ['i0', 'i1', 'i2'],
      ['i3', 'i4', 'i5'],
      3,
    ]);
  });

  it('shows fewer in full if they are long, but always the first', () => {
    expect(shown(fold(items(300, 300, 50), fresh))).toEqual([['i0'], ['i1', 'i2'], 0]);
    expect(shown(fold(items(900, 50), fresh))).toEqual([['i0'], ['i1'], 0]);
  });

  it('keeps open what the person uses, and opens the most urgent beside it', () => {
    const used = new Set(['i2', 'gone']);
    expect(shown(fold(items(300, 300, 300), { ...fresh, used }))).toEqual([['i0', 'i2'], ['i1'], 0]);
  });

  it('opens what the person chose, beside the others', () => {
    const chosen = new Set(['i4']);
    expect(shown(fold(items(...Array(5).fill(100)), { ...fresh, chosen }))).toEqual([
      ['i0', 'i1', 'i2', 'i4'],
      ['i3'],
      0,
    ]);
  });
});
