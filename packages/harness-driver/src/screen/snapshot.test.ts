import xterm from '@xterm/headless';
import { expect, it } from 'vitest';
import { Screen } from './screen.ts';

const SIZE = { columns: 40, rows: 10 };

/** What another terminal shows that gets the snapshot. */
async function copied(output: string) {
  const screen = new Screen(SIZE);
  screen.feed(Buffer.from(output));
  await screen.settled();
  const snapshot = screen.snapshot();
  const other = new xterm.Terminal({
    cols: SIZE.columns,
    rows: SIZE.rows,
    scrollback: 1000,
    allowProposedApi: true,
  });
  await new Promise<void>((resolve) => other.write(snapshot, resolve));
  const { active } = other.buffer;
  const lines = Array.from({ length: active.length }, (_, row) =>
    active.getLine(row)?.translateToString(true),
  );
  return { other, snapshot, lines, cursor: [active.cursorY, active.cursorX] };
}

it('shows what was written, what scrolled by, and the cursor', async () => {
  const numbers = Array.from({ length: 30 }, (_, at) => `line ${at}`).join('\r\n');
  const { lines, cursor } = await copied(`${numbers}\r\nprompt> 宽 ok`);
  expect(lines).toEqual(expect.arrayContaining(['line 0', 'line 29', 'prompt> 宽 ok']));
  expect(cursor).toEqual([9, 13]);
});

it('keeps colours', async () => {
  const { other } = await copied('\x1b[1;31mred\x1b[0m \x1b[48;2;1;2;3mdeep');
  const line = other.buffer.active.getLine(0);
  expect([Boolean(line?.getCell(0)?.isBold()), line?.getCell(0)?.getFgColor()]).toEqual([true, 1]);
  expect(line?.getCell(4)?.getBgColor()).toBe(0x010203);
});

it('keeps letters bold beside dim ones', async () => {
  const { other } = await copied('\x1b[2mdim\x1b[22m\x1b[1mbold\x1b[22m\x1b[2mdim\x1b[0m \x1b[38;5;22mgreen');
  const line = other.buffer.active.getLine(0);
  const looks = [0, 3, 7]
    .map((column) => line?.getCell(column))
    .map((cell) => [cell?.isBold(), cell?.isDim()]);
  expect(looks.map((look) => look.map(Boolean))).toEqual([
    [false, true],
    [true, false],
    [false, true],
  ]);
  expect(line?.getCell(11)?.getFgColor()).toBe(22);
});

it('switches the modes that keys, mouse and paste depend on', async () => {
  const { other, snapshot } = await copied(
    '\x1b[?1049h\x1b[?2004h\x1b[?1003h\x1b[?1006h\x1b[?1004h\x1b[?25l\x1b[>7uhi',
  );
  expect(other.buffer.active.type).toBe('alternate');
  expect(other.modes).toMatchObject({
    bracketedPasteMode: true,
    mouseTrackingMode: 'any',
    sendFocusMode: true,
  });
  for (const mode of ['\x1b[?1006h', '\x1b[?25l', '\x1b[>7u']) expect(snapshot).toContain(mode);
});

it('leaves modes alone that the program has switched back', async () => {
  const { snapshot } = await copied('\x1b[?25l\x1b[?25h\x1b[?2004h\x1b[?2004l\x1b[>1u\x1b[<1u');
  expect(snapshot).toBe('');
});
