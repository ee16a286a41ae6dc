import { stripVTControlCharacters } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { block, tableOrBlocks } from './blocks.ts';

const { isTTY, columns } = process.stdout;
afterEach(() => Object.assign(process.stdout, { isTTY, columns }));

const inTerminal = (width: number): unknown => Object.assign(process.stdout, { isTTY: true, columns: width });
const ROWS = [
  ['review.vote', 'Reviewer', 'Submits a vote on a change'],
  ['ship', 'Deployer', ''],
];
const TITLES = ['ACTION', 'OWNER', 'DESCRIPTION'];

it('is a table if it fits, and always in a pipe', () => {
  const table = [
    'ACTION       OWNER     DESCRIPTION',
    'review.vote  Reviewer  Submits a vote on a change',
    'ship         Deployer',
  ].join('\n');
  for (const isWide of [true, false]) {
    if (isWide) inTerminal(80);
    else Object.assign(process.stdout, { isTTY: false, columns: undefined });
    expect(stripVTControlCharacters(tableOrBlocks(TITLES, ROWS))).toBe(table);
  }
});

it('is one block per row in a narrow terminal, within its width', () => {
  inTerminal(32);
  const text = stripVTControlCharacters(tableOrBlocks(TITLES, ROWS));
  expect(text).toBe(
    [
      'review.vote',
      '  owner        Reviewer',
      '  description  Submits a vote on',
      '               a change',
      '',
      'ship',
      '  owner  Deployer',
    ].join('\n'),
  );
});

it('lists several values below each other, and omits empty ones', () => {
  inTerminal(80);
  const text = block('Bob', [
    ['capabilities', ['review: Reads code', 'math']],
    ['tools', []],
  ]);
  expect(stripVTControlCharacters(text)).toBe(
    'Bob\n  capabilities  review: Reads code\n                math',
  );
});
