export interface Size {
  columns: number;
  rows: number;
}

/** The size of a cell at a font size of one pixel. */
export interface CellShape {
  width: number;
  height: number;
}

export interface Room {
  width: number;
  height: number;
}

export const USUAL_FONT = 13;
/** The smallest readable font size; below it the screen scrolls instead. */
const SMALLEST_FONT = 7;

/** The terminal size that fills the space at this font size. */
export const sizeIn = ({ width, height }: Room, cell: CellShape, font: number): Size => ({
  columns: clamp(Math.floor(width / (cell.width * font)), 1, 1000),
  rows: clamp(Math.floor(height / (cell.height * font)), 1, 1000),
});

/** The largest font size, up to the default, that shows the whole terminal: watching never resizes it. */
export function fontFor({ columns, rows }: Size, { width, height }: Room, cell: CellShape): number {
  const fits = Math.min(width / (columns * cell.width), height / (rows * cell.height));
  return clamp(Math.floor(fits * 4) / 4, SMALLEST_FONT, USUAL_FONT);
}

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);
