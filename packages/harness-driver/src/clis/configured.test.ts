import { describe, expect, it } from 'vitest';
import type { ScreenView } from '../screen/view.ts';
import { patternScreen } from './configured.ts';

const screen = patternScreen({
  composer: '^you> ?',
  busy: 'working…',
  dialog: '\\[y/n\\]',
  starting: 'Trust .*\\?',
});

const view = (texts: string[], row = texts.length - 1, column = 0): ScreenView => ({
  columns: 80,
  rows: texts.length,
  lines: texts.map((text) => ({ text, looks: '.'.repeat(text.length) })),
  cursor: { row, column, visible: true },
  alternate: false,
  bracketedPaste: true,
});

describe('a CLI of the user', () => {
  it.each([
    [['hello', 'you>'], { state: 'composer', draft: '', busy: false }],
    [['you> first', 'second'], { state: 'composer', draft: 'first\nsecond', busy: false }],
    [['working…', 'you>'], { state: 'composer', draft: '', busy: true }],
    [['working…'], { state: 'composer', draft: '', busy: true }],
    [['run it? [y/n]', 'you>'], { state: 'dialog' }],
    [['Trust /tmp?', 'you>'], { state: 'starting', question: 'Trust /tmp?' }],
    [['something else'], { state: 'unknown' }],
  ])('reads %j', (lines, reading) => {
    expect(screen.read(view(lines))).toEqual(reading);
  });

  it('finds a prompt that ends with a blank', () => {
    const { read } = patternScreen({ composer: '^> ' });
    expect(read(view(['hello', '>'], 1, 2))).toEqual({ state: 'composer', draft: '', busy: false });
    expect(read(view(['hello', '> hi'], 1, 4))).toEqual({ state: 'composer', draft: 'hi', busy: false });
    expect(read(view(['hello', '>'], 1, 1))).toEqual({ state: 'unknown' });
  });

  it('has no composer below the cursor', () => {
    expect(screen.read(view(['output', 'you>'], 0))).toEqual({ state: 'unknown' });
  });
});
