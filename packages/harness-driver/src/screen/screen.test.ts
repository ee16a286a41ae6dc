import { describe, expect, it } from 'vitest';
import { Screen } from './screen.ts';

const size = { columns: 40, rows: 5 };
const after = async (...output: string[]): Promise<Screen> => {
  const screen = new Screen(size);
  for (const text of output) screen.feed(Buffer.from(text));
  await screen.settled();
  return screen;
};
const textOf = (screen: Screen) => screen.view()?.lines.map(({ text }) => text);
const flood = (lines: number) => Array.from({ length: lines }, (_, line) => `line ${line}\r\n`).join('');

describe('the screen', () => {
  it('shows what a terminal shows, and how it looks', async () => {
    const screen = await after('one\r\n\x1b[2mdim\x1b[0m \x1b[1mbold\x1b[0m \x1b[7minverse\x1b[0m 宽 x');
    expect(screen.view()?.lines[1]).toEqual({ text: 'dim bold inverse 宽 x', looks: 'ddd.bbbb.iiiiiii....' });
    expect(screen.view()?.cursor).toEqual({ row: 1, column: 21, visible: true });
  });

  it('tells a bar beside a panel from one on it', async () => {
    const screen = await after(
      '\x1b[44m  \x1b[31m|\x1b[45m text\x1b[0m\r\n  \x1b[45m| text\x1b[0m\r\n| text',
    );
    expect(
      screen
        .view()
        ?.lines.slice(0, 3)
        .map((line) => line.isBesidePanel),
    ).toEqual([true, undefined, undefined]);
  });

  it.each(['🎉', '✅', '❤️', '👨‍👩‍👧‍👦', '🇩🇪'])('counts %s as two columns, as CLIs do', async (emoji) => {
    // Drawn over what was there, and continued where a CLI expects the next column.
    const screen = await after(`before\r${emoji}\x1b[3Gx`);
    expect(textOf(screen)?.[0]).toBe(`${emoji}xore`);
    expect(screen.view()?.cursor.column).toBe(3);
  });

  it.each([
    ['दुनिया', 5],
    ['क्षि', 3],
    ['น้ำ', 2],
    ['é', 1],
  ])('counts a column for each vowel sign that takes space: %s', async (word, columns) => {
    expect((await after(word)).view()?.cursor.column).toBe(columns);
  });

  it('knows the modes that matter', async () => {
    const screen = await after('\x1b[?1049h\x1b[?2004h\x1b[?25l');
    expect(screen.view()).toMatchObject({
      alternate: true,
      bracketedPaste: true,
      cursor: { visible: false },
    });
  });

  it('is not known before everything that came is on it', async () => {
    const screen = await after('one');
    screen.feed(Buffer.from(' two'));
    expect(screen.view()).toBeUndefined();
    await screen.settled();
    expect(textOf(screen)?.[0]).toBe('one two');
  });

  it('says how to put a terminal back, with what is still in force only', async () => {
    const modes = '\x1b[?1049h\x1b[?25l\x1b[?1003h\x1b[?1003l\x1b[>1u\x1b[>1u\x1b[<u\x1b[>4;2m';
    expect((await after(modes)).undoModes()).toBe('\x1b[<1u\x1b[?1049l\x1b[>4;0m\x1b[?25h\x1b[0m');
    expect((await after('text\x1b[?2004h\x1b[?2004l')).undoModes()).toBe('');
  });

  it.each([
    ['insert mode, keyboard lock, line feeds', '\x1b[4h\x1b[2h\x1b[20h', '\x1b[4l\x1b[2l\x1b[20l\x1b[0m'],
    ['the keypad', '\x1b=', '\x1b>\x1b[0m'],
    ['a scroll region, where the cursor stays', '\x1b[2;4r', '\x1b7\x1b[r\x1b8\x1b[0m'],
    ['character sets', '\x1b(0\x1b)0\x1b%@', '\x1b(B\x1b)B\x0f\x1b%G\x1b[0m'],
    ['the shape of the cursor', '\x1b[5 q', '\x1b[0 q\x1b[0m'],
    ['a keyboard without an entry', '\x1b[=5u', '\x1b[=0u\x1b[0m'],
    ['colours', '\x1b[31mred', '\x1b[0m'],
  ])('says how to reset %s', async (_, set, reset) => {
    const screen = await after(set);
    expect(screen.undoModes()).toBe(reset);
    screen.feed(Buffer.from(reset));
    await screen.settled();
    expect(screen.undoModes()).toBe('');
  });
});

it.each([...'LMSTIZb'])('is not kept busy by CSI 2147483647 %s', async (final) => {
  const screen = await after(`one\r\nx\x1b[2147483647${final}`, 'y');
  expect(textOf(screen)?.slice(0, 2)).toEqual(['one', 'xy']);
});

describe('a flood of output', () => {
  it('ends with the screen that a terminal shows', async () => {
    const screen = await after(flood(300_000), 'end');
    expect(textOf(screen)).toEqual(['line 299996', 'line 299997', 'line 299998', 'line 299999', 'end']);
  });

  it('loses no mode that was switched in it', async () => {
    const modes = '\x1b[?2004h\x1b[?1003h\x1b[4h\x1b=\x1b[2;4r\x1b(0\x1b[5 q\x1b[>1u';
    const screen = await after(flood(100_000), modes, flood(300_000));
    expect(screen.view()?.bracketedPaste).toBe(true);
    expect(screen.undoModes()).toBe(
      '\x1b[<1u\x1b[0 q\x1b[4l\x1b[?2004l\x1b[?1003l\x1b>\x1b7\x1b[r\x1b8\x1b(B\x1b[0m',
    );
  });

  it('leaves the screen unknown until all of it was written afterwards', async () => {
    const words = `${'x'.repeat(2_000_000)}\x1b[Hend`;
    const screen = await after(words);
    expect(screen.view()).toBeUndefined();
    screen.feed(Buffer.from('\x1b[2J\x1b[Hnew'));
    await screen.settled();
    expect(textOf(screen)?.[0]).toBe('new');
  });
});
