import { describe, expect, it } from 'vitest';
import { showsEndOf } from './pasted.ts';

const HEAD = 'Relay message from Alice [msg_1]: from a peer agent\n| ';

describe('a pasted text in a composer', () => {
  it.each([
    ['wrapped', 'one two three', 'one two\n  three'],
    ['a family of emoji cut by the CLI', 'done 👨‍👩‍👧‍👦', 'done 👨‍👩‍ '],
    ['joiners left out', 'zwnj می‌خواهم', 'zwnj میخواهم'],
    ['letters composed', 'cafe\u0301', 'caf\u00e9'],
    ['marks left out', 'नमस्ते', 'नमसत'],
  ])('is recognised: %s', (_what, text, shown) => {
    expect(showsEndOf(HEAD + shown, HEAD + text)).toBe(true);
  });

  it('is recognised if only its emoji are visible', () => {
    expect(showsEndOf('🎉 '.repeat(40), HEAD + '🎉'.repeat(800))).toBe(true);
    expect(showsEndOf(`${'🎉 '.repeat(40)}end`, `${HEAD + '🎉'.repeat(800)}end`)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['its beginning', HEAD],
    ['something else', 'please do not'],
    ['some emoji', '🎉🎉'],
    ['another end', `${'🎉'.repeat(40)}or`],
  ])('is not recognised in %s', (_what, shown) => {
    expect(showsEndOf(shown, `${HEAD}${'🎉'.repeat(40)}end`)).toBe(false);
  });

  it('is not recognised in a draft of emoji if it does not end with emoji itself', () => {
    const draft = '🎉 '.repeat(40);
    expect(showsEndOf(draft, `${HEAD}Please run the tests of the parser.`)).toBe(false);
    expect(showsEndOf(`${draft}ok`, `${HEAD}Please run the tests of the parser, ok`)).toBe(false);
  });
});
