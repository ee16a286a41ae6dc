import type { IBufferCell, Terminal } from '@xterm/headless';

/** A part of a screen: rows from `first` on, and columns from `left` on. */
export interface ScreenPart {
  first: number;
  count: number;
  left?: number;
  columns: number;
}

/** The rows of a part of a screen, each as text with its colours, for a terminal that places them itself. */
export function drawRows(emulator: Terminal, { first, count, left = 0, columns }: ScreenPart): string[] {
  const { active } = emulator.buffer;
  return Array.from({ length: count }, (_, row) => {
    const line = active.getLine(active.baseY + first + row);
    let text = '';
    let before = '';
    let blanks = '';
    for (let column = left; column < left + columns; ) {
      const cell = line?.getCell(column);
      if (!cell) break;
      const width = cell.getWidth() || 1;
      // The second half of a wide character.
      if (column + width > left + columns) break;
      column += width;
      const look = lookOf(cell);
      const letters = cell.getChars() || ' ';
      // The end of a line is cleared anyway.
      if (look === '' && letters === ' ' && before === '') {
        blanks += letters;
        continue;
      }
      text += `${blanks}${look === before ? '' : `\x1b[0${look}m`}${letters}`;
      blanks = '';
      before = look;
    }
    return `${text}\x1b[0m`;
  });
}

/** The parameters that make text look like a cell. */
function lookOf(cell: IBufferCell): string {
  const attributes: Array<[number, number]> = [
    [cell.isBold(), 1],
    [cell.isDim(), 2],
    [cell.isItalic(), 3],
    [cell.isUnderline(), 4],
    [cell.isInverse(), 7],
    [cell.isStrikethrough(), 9],
  ];
  return [
    ...attributes.filter(([isOn]) => isOn).map(([, code]) => `;${code}`),
    colour(38, cell.isFgPalette(), cell.isFgRGB(), cell.getFgColor()),
    colour(48, cell.isBgPalette(), cell.isBgRGB(), cell.getBgColor()),
  ].join('');
}

function colour(base: 38 | 48, isPalette: boolean, isRgb: boolean, value: number): string {
  if (isPalette) return `;${base};5;${value}`;
  return isRgb ? `;${base};2;${(value >> 16) & 255};${(value >> 8) & 255};${value & 255}` : '';
}
