import xterm from '@xterm/headless';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Screen } from '../screen/screen.ts';
import { Notice } from './notice.ts';

const SIZE = { columns: 40, rows: 4 };
const FORMS = ['a form that does not fit into forty columns at all', 'Ctrl-] d detaches', 'd'];
let screen: Screen;
let terminal: xterm.Terminal;
let notice: Notice;
beforeEach(() => {
  screen = new Screen(SIZE);
  terminal = new xterm.Terminal({ cols: SIZE.columns, rows: SIZE.rows, allowProposedApi: true });
  notice = new Notice(
    (text) => terminal.write(text),
    () => screen,
  );
});
afterEach(() => {
  notice.hide();
  screen.dispose();
});

/** The program writes. */
async function write(output: string): Promise<void> {
  screen.feed(Buffer.from(output));
  notice.pass(Buffer.from(output));
  await screen.settled();
}
async function shown(): Promise<string[]> {
  await new Promise<void>((done) => terminal.write('', done));
  const { active } = terminal.buffer;
  return Array.from(
    { length: active.length },
    (_, row) => active.getLine(row)?.translateToString(true).trimEnd() ?? '',
  );
}
const cursor = () => [terminal.buffer.active.cursorY, terminal.buffer.active.cursorX];

it('is shown in the last row, in the form that fits, and leaves everything as it was', async () => {
  await write('one\r\ntwo\r\nthree\r\n\x1b[32mfour\x1b[2;2H');
  const before = await shown();
  notice.show(FORMS);
  await expect.poll(shown).toEqual(['one', 'two', 'three', 'Ctrl-] d detaches']);
  expect(cursor()).toEqual([1, 1]);
  notice.hide();
  expect(await shown()).toEqual(before);
  expect(terminal.buffer.active.getLine(3)?.getCell(0)?.getFgColor()).toBe(2);
  // What the program writes next has its colour still.
  await write('x');
  expect(terminal.buffer.active.getLine(1)?.getCell(1)?.getFgColor()).toBe(2);
});

it('leaves the region alone that positions count from', async () => {
  await write('one\x1b[2;3r\x1b[?6htwo');
  notice.show(FORMS);
  await expect.poll(shown).toEqual(['one', 'two', '', 'Ctrl-] d detaches']);
  expect([terminal.modes.originMode, ...cursor()]).toEqual([true, 1, 3]);
  notice.hide();
  await write('\x1b[2;1Hthree');
  expect(await shown()).toEqual(['one', 'two', 'three', '']);
});

it('leaves the row alone in which the person types', async () => {
  await write('one\r\ntwo\r\nthree\r\nyou> ');
  notice.show(FORMS);
  await expect.poll(shown).toEqual(['Ctrl-] d detaches', 'two', 'three', 'you>']);
});

it('never scrolls away with what the program writes', async () => {
  await write('one\r\ntwo');
  notice.show(FORMS);
  for (let line = 0; line < 20; line++) {
    await expect.poll(shown).toContain('Ctrl-] d detaches');
    await write(`\r\nline ${line}`);
  }
  notice.hide();
  expect((await shown()).join(' ')).toBe(
    ['one', 'two', ...Array.from({ length: 20 }, (_, line) => `line ${line}`)].join(' '),
  );
});
