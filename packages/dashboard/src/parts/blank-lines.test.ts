import { expect, it } from 'vitest';
import { piecesOf } from './blank-lines.ts';

it('shows a text as it is, with few blank lines', () => {
  const text = 'psql shop\n\n\n  delete from carts\n';
  expect(piecesOf(text)).toEqual([text]);
});

it('counts many blank lines instead of showing them, whatever they consist of, and keeps all else', () => {
  const blank = ['', ' ', '\u3164', '\t'].flatMap((line) => Array<string>(50).fill(line));
  expect(piecesOf(['ls', ...blank, 'rm -r /', '', 'done'].join('\n'))).toEqual([
    'ls',
    { blankLines: 200 },
    'rm -r /\n\ndone',
  ]);
});
