import xterm from '@xterm/headless';
import { expect, it } from 'vitest';
import { Picture } from './picture.ts';

/** An agent's terminal, as it is seen in a terminal of another size. */
async function seen(
  content: string,
  own: { columns: number; rows: number },
  size = { columns: 80, rows: 24 },
) {
  const terminal = new xterm.Terminal({ cols: own.columns, rows: own.rows, allowProposedApi: true });
  const picture = new Picture(
    own,
    (text) => terminal.write(text),
    () => ' caption ',
  );
  picture.begin(Buffer.from(content), size);
  const { active } = terminal.buffer;
  const rows = () =>
    Array.from(
      { length: own.rows },
      (_, row) => active.getLine(row)?.translateToString(true).trimEnd() ?? '',
    );
  return { picture, rows, cursor: () => [active.cursorY, active.cursorX] };
}
const POLL = { timeout: 5000 };

it('follows the cursor to the right where the screen is wider than the terminal', async () => {
  const typed = Array.from({ length: 7 }, (_, at) => `${at}23456789`).join(' ');
  const { rows, cursor } = await seen(`> ${typed}`, { columns: 40, rows: 10 });
  await expect.poll(() => rows()[0], POLL).toMatch(/6{1}23456789$/);
  const [, column = 0] = cursor();
  expect(column).toBeLessThan(40);
  expect(rows()[0]?.length).toBe(column);
});

it('stays at the left as long as the cursor is seen there', async () => {
  const { rows } = await seen(`${'x'.repeat(60)}\r\nyou> `, { columns: 40, rows: 10 });
  await expect.poll(() => rows()[1], POLL).toBe('you>');
  // All of the row that fits, and not one letter less.
  expect(rows()[0]).toBe('x'.repeat(40));
});

it('shows the text of a program that has left its hidden cursor elsewhere', async () => {
  const { rows } = await seen('\x1b[?25lSign in:\r\n1. with a key\x1b[23;1H', { columns: 40, rows: 10 });
  await expect.poll(() => rows().slice(0, 2), POLL).toEqual(['Sign in:', '1. with a key']);
});

it('follows a hidden cursor in a text to the right, as of a program that draws its own', async () => {
  const { rows } = await seen(`\x1b[?25l> ${'x'.repeat(60)}end`, { columns: 40, rows: 10 });
  await expect.poll(() => rows()[0], POLL).toMatch(/xend$/);
});

it('tells something in place of the caption for a moment', async () => {
  const { picture, rows } = await seen('hello', { columns: 40, rows: 10 });
  await expect.poll(() => rows()[9], POLL).toBe(' caption');
  picture.say(['held']);
  await expect.poll(() => rows()[9], POLL).toBe('held');
  expect(rows()[0]).toBe('hello');
  picture.close();
});

it('only draws in a terminal of the same size: no clipboard, no title, no answers as keys', () => {
  const written: Uint8Array[] = [];
  const size = { columns: 80, rows: 24 };
  const picture = new Picture(
    size,
    (text) => written.push(Buffer.from(text)),
    () => '',
  );
  picture.begin(Buffer.from('shown\x1b]52;c;cm0gLXJmIH4=\x07'), size);
  picture.add(Buffer.from('\x1b[31mred\x1b]2;ti'));
  picture.add(Buffer.from('tle\x1b\\\x1b[6n\x1b[c!'));
  expect(Buffer.concat(written).toString().endsWith('shown\x1b[31mred!')).toBe(true);
  picture.close();
});
