import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostileTexts, UNSEEN } from '../../../../test/kit/hostile-prompts.ts';
import { readWholeText } from '../../../../test/kit/whole-text.ts';
import { quotedName, remark, wholeText } from './whole-text.ts';

const shown = (text: string): string => wholeText('Run this command', text);

describe('text that a person decides about', () => {
  it('is one line as it is', () => {
    expect(shown('rm -r "my build" \\n')).toBe('Run this command:\n  rm -r "my build" \\n');
  });

  it('has its lines counted and numbered', () => {
    expect(shown('cd build\nrm -r *\n')).toBe(
      ['Run this command (3 lines):', '  1  cd build', '  2  rm -r *', '  3  '].join('\n'),
    );
  });

  it('shows many empty lines as one', () => {
    expect(shown(`ls${'\n'.repeat(201)}rm -r build`)).toBe(
      [
        'Run this command (202 lines):',
        '      1  ls',
        '  2-201  (200 empty lines)',
        '    202  rm -r build',
      ].join('\n'),
    );
  });

  it.each([
    ['a direction override', '\u202e', '\\u{202e}'],
    ['a control', '\u001b[2J', '\\u{1b}[2J'],
    ['a carriage return', 'a\rb', 'a\\u{d}b'],
    ['a character without a shape', '\u3164', '\\u{3164}'],
    ['a blank that is no space', 'a\u00a0b', 'a\\u{a0}b'],
    ['a joiner in a word', 'a\u200db', 'a\\u{200d}b'],
    ['half a character', '\ud800', '\\u{d800}'],
    ['many blanks', `ls${' '.repeat(5000)}; rm`, 'ls\\{5000 spaces}; rm'],
    ['many tabs and blanks', `ls\t\t\t\t\t  ; rm`, 'ls\\{5 tabs}\\{2 spaces}; rm'],
    ['nothing but blanks', '  ', '\\{2 spaces}'],
    ['marks piled on a letter', 'e\u0301\u0301\u0301\u0301', 'e\u0301\u0301\u0301\\u{301}'],
    ['a backslash in such a line', '\\u{202e}\u202e', '\\\\u{202e}\\u{202e}'],
  ])('escapes %s', (_what, text, escaped) => {
    expect(shown(text)).toBe(`Run this command (1 line; those with ! are escaped):\n  1! ${escaped}`);
  });

  it('keeps emoji, and letters with marks', () => {
    for (const text of ['👩🏽\u200d👧 ❤\ufe0f', 'é e\u0301 नमस्ते', '    indented', '\tindented'])
      expect(shown(text)).toBe(`Run this command:\n  ${text}`);
  });

  it('comes first and whole, can be read back, and leaves what follows as it is', () => {
    fc.assert(
      fc.property(hostileTexts(), hostileTexts(), (text, description) => {
        const said = remark('Described by the agent as', description);
        const all = `${shown(text)}\n${said}`;
        expect(readWholeText(all)).toEqual({ title: all.split('\n')[0], text, rest: [said] });
        expect(all).not.toMatch(UNSEEN);
        expect(all).not.toMatch(/ {48}/);
        expect(said.length).toBeLessThan(700);
      }),
    );
  });

  it('differs whenever the text does', () => {
    fc.assert(
      fc.property(hostileTexts(), hostileTexts(), (one, other) => {
        expect(shown(one) === shown(other)).toBe(one === other);
      }),
    );
  });
});

it('quotes a name that could be more than one', () => {
  expect(quotedName('src/my-file_2.ts')).toBe('src/my-file_2.ts');
  expect(quotedName('a b":\n  ls\u202e')).toBe('"a b\\":\\n  ls\\u{202e}"');
});

it('says on one line, not longer than a person reads, what somebody says about it', () => {
  expect(remark('It says', ' a\n\n\u2028 b\u00a0 c\u202e ')).toBe('It says: a b c\u{FFFD}');
  expect(remark('It says', '😀'.repeat(500))).toBe(`It says: ${'😀'.repeat(300)}…`);
});
