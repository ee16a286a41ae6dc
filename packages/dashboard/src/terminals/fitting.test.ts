import { expect, it } from 'vitest';
import { fontFor, sizeIn } from './fitting.ts';

const CELL = { width: 0.6, height: 1.2 };

it('fills the space at the default font size while typing', () => {
  expect(sizeIn({ width: 1100, height: 700 }, CELL, 13)).toEqual({ columns: 141, rows: 44 });
  expect(sizeIn({ width: 3, height: 0 }, CELL, 13)).toEqual({ columns: 1, rows: 1 });
});

it.each([
  ['by default', { columns: 80, rows: 24 }, { width: 1100, height: 700 }, 13],
  ['that fits the columns', { columns: 80, rows: 24 }, { width: 390, height: 600 }, 8],
  ['that fits the rows', { columns: 80, rows: 60 }, { width: 1100, height: 700 }, 9.5],
  ['that can still be read', { columns: 240, rows: 60 }, { width: 390, height: 600 }, 7],
])('has a font size %s', (_, size, room, font) => {
  expect(fontFor(size, room, CELL)).toBe(font);
});
