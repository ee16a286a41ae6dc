export interface Size {
  columns: number;
  rows: number;
}

/** A cell of the font at one pixel. */
export interface CellShape {
  width: number;
  height: number;
}

export interface Room {
  width: number;
  height: number;
}

export const USUAL_FONT = 13;
/** Smaller letters cannot be read: the screen is scrolled instead. */
const SMALLEST_FONT = 7;

/** The size a terminal has to have to fill the room with letters of the given size. */
export const sizeIn = ({ width, height }: Room, cell: CellShape, font: number): Size => ({
  columns: clamp(Math.floor(width / (cell.width * font)), 1, 1000),
  rows: clamp(Math.floor(height / (cell.height * font)), 1, 1000),
});

/** The largest letters, up to the usual ones, with which a whole terminal is seen: it is never resized to be looked at. */
export function fontFor({ columns, rows }: Size, { width, height }: Room, cell: CellShape): number {
  const fits = Math.min(width / (columns * cell.width), height / (rows * cell.height));
  return clamp(Math.floor(fits * 4) / 4, SMALLEST_FONT, USUAL_FONT);
}

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);
