import type { IBufferCell, Terminal } from '@xterm/headless';
import type { ScreenLine, ScreenView } from './view.ts';

/** Copies what the emulator shows, without its history. */
export function readView(emulator: Terminal, isCursorVisible: boolean): ScreenView {
  const { active } = emulator.buffer;
  const blank = active.getNullCell();
  const lines = Array.from({ length: emulator.rows }, (_, row) =>
    readLine(emulator, active.baseY + row, blank),
  );
  return {
    columns: emulator.cols,
    rows: emulator.rows,
    lines,
    cursor: { row: active.cursorY, column: active.cursorX, visible: isCursorVisible },
    alternate: active.type === 'alternate',
    bracketedPaste: emulator.modes.bracketedPasteMode,
  };
}

function readLine(emulator: Terminal, index: number, cell: IBufferCell): ScreenLine {
  const cells = emulator.buffer.active.getLine(index);
  let text = '';
  let looks = '';
  /** The background of the first character. */
  let first: string | undefined;
  let isBesidePanel: boolean | undefined;
  for (let column = 0; cells && column < emulator.cols; column++) {
    cells.getCell(column, cell);
    // The second half of a wide character.
    if (cell.getWidth() === 0) continue;
    const characters = cell.getChars() || ' ';
    // Only once in a row: this is read often.
    if (first !== undefined) isBesidePanel ??= backgroundOf(cell) !== first;
    else if (characters !== ' ') first = backgroundOf(cell);
    text += characters;
    looks += lookOf(cell).repeat(characters.length);
  }
  const end = text.trimEnd().length;
  const line = { text: text.slice(0, end), looks: looks.slice(0, end) };
  return isBesidePanel ? { ...line, isBesidePanel: true } : line;
}

const backgroundOf = (cell: IBufferCell): string => `${cell.getBgColorMode()} ${cell.getBgColor()}`;

function lookOf(cell: IBufferCell): string {
  if (cell.isInverse()) return 'i';
  if (cell.isDim()) return 'd';
  if (cell.isBold()) return 'b';
  return cell.isFgDefault() ? '.' : 'c';
}
