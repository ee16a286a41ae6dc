import { expect, it } from 'vitest';
import { fontFor, sizeIn } from './fitting.ts';

const CELL = { width: 0.6, height: 1.2 };

it('fills the room of who types with letters of the usual size', () => {
  expect(sizeIn({ width: 1100, height: 700 }, CELL, 13)).toEqual({ columns: 141, rows: 44 });
  expect(sizeIn({ width: 3, height: 0 }, CELL, 13)).toEqual({ columns: 1, rows: 1 });
});

it.each([
  ['as usual where there is room', { columns: 80, rows: 24 }, { width: 1100, height: 700 }, 13],
  ['smaller where the columns would not fit', { columns: 80, rows: 24 }, { width: 390, height: 600 }, 8],
  ['smaller where the rows would not fit', { columns: 80, rows: 60 }, { width: 1100, height: 700 }, 9.5],
  ['never so small that nobody can read it', { columns: 240, rows: 60 }, { width: 390, height: 600 }, 7],
])('has letters %s', (_, size, room, font) => {
  expect(fontFor(size, room, CELL)).toBe(font);
});
