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
  const line = emulator.buffer.active.getLine(index);
  let text = '';
  let looks = '';
  for (let column = 0; line && column < emulator.cols; column++) {
    line.getCell(column, cell);
    // The second half of a wide character.
    if (cell.getWidth() === 0) continue;
    const characters = cell.getChars() || ' ';
    text += characters;
    looks += lookOf(cell).repeat(characters.length);
  }
  const end = text.trimEnd().length;
  return { text: text.slice(0, end), looks: looks.slice(0, end) };
}

function lookOf(cell: IBufferCell): string {
  if (cell.isInverse()) return 'i';
  if (cell.isDim()) return 'd';
  if (cell.isBold()) return 'b';
  return cell.isFgDefault() ? '.' : 'c';
}
