import { describe, expect, it } from 'vitest';
import { rowsOf, wrap } from './wrap.ts';

describe('wrapping', () => {
  it.each<[what: string, text: string, width: number, lines: string[]]>([
    ['leaves what fits', 'short', 10, ['short']],
    ['breaks between words', 'the build is green again', 10, ['the build', 'is green', 'again']],
    ['fills a line to its last column', 'abcde fghij', 5, ['abcde', 'fghij']],
    ['keeps the lines of the text', 'one two\n\nthree', 5, ['one', 'two', '', 'three']],
    ['breaks a word that is longer than a line', 'see abcdefghij', 4, ['see', 'abcd', 'efgh', 'ij']],
    ['keeps indentation', '  if (x) return', 10, ['  if (x)', 'return']],
    ['knows that some letters take two columns', '日本語 テスト', 7, ['日本語', 'テスト']],
    ['does not take a family apart', '👩‍👩‍👧 👩‍👩‍👧', 3, ['👩‍👩‍👧', '👩‍👩‍👧']],
    ['drops the spaces at the end', 'the build   ', 9, ['the build']],
    ['never asks for less than a letter', 'ab', 0, ['ab']],
  ])('%s', (_what, text, width, lines) => {
    expect(wrap(text, width).split('\n')).toEqual(lines);
  });

  it('takes no longer for a million spaces', () => {
    expect(wrap(`so${' '.repeat(1_000_000)}`, 40)).toBe('so');
    expect(wrap(`so${' '.repeat(1_000_000)}long`, 40)).toBe('so\nlong');
  });
});

describe('the rows of a line', () => {
  it.each<[what: string, line: string, width: number, margin: number, rows: string[]]>([
    ['are one if it fits', 'rm -r build', 11, 2, ['rm -r build']],
    ['go on at the margin, after a blank', 'rm -r build/test', 12, 2, ['rm -r ', '  build/test']],
    ['keep every blank', 'a      b     c', 8, 2, ['a      ', '  b     ', '  c']],
    ['break a long word', 'abcdefghij', 4, 2, ['abcd', '  ef', '  gh', '  ij']],
    ['have blanks for tabs', 'a\tb\t\tc', 40, 2, ['a       b               c']],
    ['know that some letters take two columns', '日本語テスト', 7, 1, ['日本語', ' テスト']],
    ['have room for text beside any margin', 'abcdefgh', 4, 9, ['abcd', '  ef', '  gh']],
  ])('%s', (_what, line, width, margin, rows) => {
    expect(rowsOf(line, width, margin)).toEqual(rows);
  });
});
