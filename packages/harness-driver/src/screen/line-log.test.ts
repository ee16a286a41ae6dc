import { describe, expect, it } from 'vitest';
import { Screen } from './screen.ts';

const size = { columns: 20, rows: 5 };

/** What is told while this is written, piece by piece. */
async function linesOf(...output: Array<string | { columns: number; rows: number }>): Promise<string[]> {
  const lines: string[] = [];
  const screen = new Screen({ ...size, onLine: (line) => lines.push(line) });
  for (const one of output) {
    if (typeof one === 'string') screen.feed(Buffer.from(one));
    else screen.resize(one.columns, one.rows);
    await screen.settled();
  }
  screen.dispose();
  return lines;
}
const told = async (...output: Parameters<typeof linesOf>) =>
  (await linesOf(...output)).filter((line) => line !== '');

describe('the lines of a program', () => {
  it('are told once each, when they are complete', async () => {
    expect(await told('on', 'e\r\ntw', 'o\r\nthree')).toEqual(['one', 'two']);
  });

  it('are whole, though they are wrapped, coloured or come in pieces', async () => {
    const long = 'a line of many more characters than the terminal has columns';
    expect(await told(...`${long}\r\n\x1b[31mre\x1b[0md\r\n`)).toEqual([long, 'red']);
  });

  it('are told once, however far they scroll', async () => {
    const all = Array.from({ length: 3000 }, (_, line) => `line ${line}`);
    expect(await told(`${all.join('\r\n')}\r\n`)).toEqual(all);
  });

  it('are not told again when they are drawn again, or the width changes', async () => {
    const drawn = 'one\r\ntwo\r\n\x1b[2A\x1b[Kone\r\n\x1b[Ktwo\r\n';
    expect(await told(drawn, { columns: 8, rows: 9 }, 'three and four\r\n')).toEqual([
      'one',
      'two',
      'three and four',
    ]);
    const long = 'a line of many more characters than the terminal has columns';
    expect(await told(`${long}\r\n`, { columns: 9, rows: 5 }, { columns: 60, rows: 5 }, 'two\r\n')).toEqual([
      long,
      'two',
    ]);
  });

  it('go on after the screen was cleared', async () => {
    expect(await told('one\r\ntwo\r\nthr', '\x1b[H\x1b[2J\x1b[3Jfour\r\n', 'five\r\n')).toEqual([
      'one',
      'two',
      'four',
      'five',
    ]);
    expect(await told('one\r\n\x1b[2J\x1b[Htwo\r\n')).toEqual(['one', 'two']);
  });

  describe('are told once, although lines scrolled away before', () => {
    const all = Array.from({ length: 9 }, (_, line) => `line ${line}`);
    const written = `${all.join('\r\n')}\r\n`;

    it.each<[string, string]>([
      ['the screen is cleared', '\x1b[H\x1b[2J'],
      ['the screen is cleared from the top', '\x1b[H\x1b[J'],
      ['the screen is cleared where the cursor is', '\x1b[2J'],
      ['only the history is cleared', '\x1b[3J'],
      ['the screen and then the history is cleared', '\x1b[H\x1b[2J\x1b[3J'],
      ['the last lines are erased and drawn again', '\x1b[3A\x1b[Jline 6\r\nline 7\r\nline 8\r\n'],
      ['what is above the cursor is erased', '\x1b[1J'],
      ['the last lines are deleted', '\x1b[2A\x1b[3M'],
      ['the terminal is reset', '\x1bc'],
    ])('%s', async (_what, output) => {
      expect(await told(written, output, 'new\r\n')).toEqual([...all, 'new']);
      expect(await told(`${written}${output}new\r\n`)).toEqual([...all, 'new']);
    });
  });

  it('have no blanks where a wide character did not fit', async () => {
    const wide = `a${'宽'.repeat(25)}`;
    expect(await told(`${wide}\r\n`)).toEqual([wide]);
  });

  it('are none on the alternate screen', async () => {
    expect(await told('one\r\n\x1b[?1049h', 'alternate\r\nmore\r\n', '\x1b[?1049ltwo\r\n')).toEqual([
      'one',
      'two',
    ]);
  });

  it('include the last one when the program has ended', async () => {
    const lines: string[] = [];
    const screen = new Screen({ ...size, onLine: (line) => lines.push(line) });
    screen.feed(Buffer.from('one\r\ntwo'));
    await screen.settled();
    screen.endLines();
    expect(lines).toEqual(['one', 'two']);
  });

  it('are none of what the emulator has skipped', async () => {
    const flood = Array.from({ length: 200_000 }, (_, line) => `line ${line}`).join('\r\n');
    const lines = await told(`first\r\n`, `${flood}\r\n`, 'last\r\n');
    expect(lines[0]).toBe('first');
    expect(lines.at(-1)).toBe('last');
    expect(new Set(lines).size).toBe(lines.length);
    for (const line of lines.slice(1, -1)) expect(line).toMatch(/^line \d+$/);
  });
});
