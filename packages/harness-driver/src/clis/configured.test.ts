import { describe, expect, it } from 'vitest';
import type { ScreenView } from '../screen/view.ts';
import { patternScreen } from './configured.ts';

const screen = patternScreen({
  composer: '^you> ?',
  busy: 'working…',
  dialog: '\\[y/n\\]',
  starting: 'Trust .*\\?',
});

const view = (texts: string[], row = texts.length - 1): ScreenView => ({
  columns: 80,
  rows: texts.length,
  lines: texts.map((text) => ({ text, looks: '.'.repeat(text.length) })),
  cursor: { row, column: 0, visible: true },
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

  it('has no composer below the cursor', () => {
    expect(screen.read(view(['output', 'you>'], 0))).toEqual({ state: 'unknown' });
  });
});
