import { expect, it } from 'vitest';
import { steadily } from './steady-order.ts';

const items = (...ids: string[]) => ids.map((id) => ({ id }));
const placed = (...ids: string[]) => items(...ids).map((item) => ({ item, hasEnded: false }));
const shown = (list: ReturnType<typeof steadily>) =>
  list.map(({ item, hasEnded }) => (hasEnded ? `${item.id} ended` : item.id));

it('puts what arrives at the end, and lets what has ended keep its place', () => {
  const after = steadily(placed('b', 'c', 'd'), items('a', 'b', 'd', 'e'), () => false);
  expect(shown(after)).toEqual(['b', 'c ended', 'd', 'a', 'e']);
  expect(shown(steadily(after, items('b', 'c'), ({ id }) => id === 'd'))).toEqual([
    'b',
    'c',
    'a ended',
    'e ended',
  ]);
});
