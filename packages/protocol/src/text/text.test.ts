import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quotedText, safeJson, safeLine, safeText } from './text.ts';

describe('text from a peer', () => {
  it('keeps what people write', () => {
    const text = 'Grüße, 世界!\n\tindented «quoted» ½ é e\u0301 👍🏽';
    expect(safeText(text)).toBe(text);
  });

  it('turns every kind of line end into LF', () => {
    expect(safeText('a\r\nb\rc\u0085d\u2028e\u2029f')).toBe('a\nb\nc\nd\ne\nf');
  });

  it('marks every line after the first, for every kind of line end', () => {
    expect(quotedText('one\n\ntwo\r\nthree\u2028four')).toBe('one\n> \n> two\n> three\n> four');
  });

  it.each([
    ['an escape sequence', '\u001b[201~', '\u{FFFD}[201~'],
    ['a C1 control', '\u009b31m', '\u{FFFD}31m'],
    ['a bell and a backspace', 'a\u0007\u0008', 'a\u{FFFD}\u{FFFD}'],
    ['a direction override', 'x\u202Etxt.exe', 'x\u{FFFD}txt.exe'],
    ['an invisible tag', '\u{E0041}', '\u{FFFD}'],
    ['a lone surrogate', '\uD800x', '\u{FFFD}x'],
    ['a private code point', '\uE000', '\u{FFFD}'],
    ['a byte order mark', '\uFEFFhi', '\u{FFFD}hi'],
    ['an invisible letter', 'a\u3164b', 'a\u{FFFD}b'],
    ['a selector after a letter', 'a\uFE0F', 'a\u{FFFD}'],
    ['a text of selectors', '👍\u{E0148}\u{E0169}', '👍\u{FFFD}\u{FFFD}'],
  ])('replaces %s', (_what, text, safe) => {
    expect(safeText(text)).toBe(safe);
  });

  it('keeps a zero-width joiner only between letters or emoji', () => {
    const family = '👩\u200D👩🏽\u200D👧';
    const persian = 'می\u200Cخواهم';
    expect(safeText(family)).toBe(family);
    expect(safeText(persian)).toBe(persian);
    expect(safeText('a\u200D b')).toBe('a\u{FFFD} b');
    expect(safeText('\u200D\u200Da')).toBe('\u{FFFD}\u{FFFD}a');
  });

  it('keeps a variation selector only after a character that has variants', () => {
    const text = '❤\uFE0F 1\uFE0F\u20E3 葛\u{E0100}城 ❤\uFE0F\u200D🔥';
    expect(safeText(text)).toBe(text);
    expect(safeText('❤\uFE0F\uFE0F')).toBe('❤\uFE0F\u{FFFD}');
  });

  it('leaves no control character in any text, and changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const safe = safeText(text);
        expect(safe).not.toMatch(/[[\p{Cc}\p{Cs}\p{Co}\p{Cn}]--[\n\t]]/v);
        expect(safeText(safe)).toBe(safe);
      }),
    );
  });

  it('puts a field on one line', () => {
    expect(safeLine('two\r\nlines\tand a tab')).toBe('two lines and a tab');
  });

  it('is shown as JSON with escapes, and keeps every value', () => {
    const value = {
      text: '\u001b[2J \u007f \u009b2J \u0085 \u2028 \u00a0 é \u202E \u{E0041} \u3164 👩\u200D👧',
    };
    const json = safeJson(JSON.stringify(value));
    expect(json).toContain('\\u202e \\udb40\\udc41 \\u3164 👩\u200D👧');
    expect(safeText(json)).toBe(json);
    expect(JSON.parse(json)).toEqual(value);
  });
});
