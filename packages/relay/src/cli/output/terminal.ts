import { stripVTControlCharacters, styleText } from 'node:util';
import { dateOf, safeJson } from '@agent-relay/protocol';

type Style = Parameters<typeof styleText>[0];

/** Colors for terminals: `styleText` omits them for pipes, files and NO_COLOR. */
export const styled = (style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string =>
  text === '' ? '' : styleText(style, text, { stream });

const ESC = '\u001b';
/** Controls other than line ends, tabs and the styles of `styled`. */
const CONTROLS = new RegExp(String.raw`(?![\n\t]|${ESC}\[[\d;]*m)\p{Cc}`, 'gu');

/** What reaches the terminal: whatever was forgotten on the way, it only prints. */
const inert = (text: string): string => text.replace(CONTROLS, '\ufffd');

export const print = (text = ''): void => void process.stdout.write(`${inert(text)}\n`);

/** The columns of the terminal. A pipe, a file and a terminal that does not say (0) have no end. */
export const columns = (): number =>
  (process.stdout.isTTY && process.stdout.columns) || Number.POSITIVE_INFINITY;

/** For people, when standard output belongs to a program. */
export const printAside = (text: string): void => void process.stderr.write(`${inert(text)}\n`);

/** One JSON value on one line, for scripts. */
export const printJson = (value: unknown): void => print(safeJson(JSON.stringify(value)));

/** Rows with aligned columns; the last column is not padded. */
export function table(rows: string[][]): string {
  const widths = columnWidths(rows);
  const line = (row: string[]) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - cellWidth(cell)))
      .join('  ')
      .trimEnd();
  return rows.map(line).join('\n');
}

/** The width of the longest line of a table. */
export const tableWidth = (rows: string[][]): number =>
  columnWidths(rows).reduce((sum, width) => sum + width + 2, -2);

function columnWidths(rows: string[][]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cellWidth(cell));
    });
  }
  return widths;
}

/** The columns that a text takes, without its colors. */
export const cellWidth = (cell: string): number => stripVTControlCharacters(cell).length;

/** Facts, one per line, after their names; omits those without a value. */
export const facts = (pairs: Array<[name: string, value: string | undefined]>): string =>
  table(pairs.flatMap(([name, value]) => (value === undefined ? [] : [[styled('dim', name), value]])));

/** A relative time ("2m ago") in a terminal, else an absolute one. */
export const when = (time: number): string =>
  process.stdout.isTTY ? ago(time, Date.now()) : dateOf(time).toISOString();

/** The clock time ("14:05:09"), for lines that stay on screen. */
export const whenByClock = (time: number): string =>
  process.stdout.isTTY ? dateOf(time).toTimeString().slice(0, 8) : dateOf(time).toISOString();

const UNITS: Array<[letter: string, ms: number]> = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
];

export const ago = (time: number, now: number): string =>
  now - time >= 1000 ? `${duration(now - time)} ago` : 'just now';

/** A length of time in its largest unit ("2m"); none is negative, also if the clock was set back meanwhile. */
export function duration(ms: number): string {
  const [letter, unit] = UNITS.find(([, least]) => ms >= least) ?? ['s', 1000];
  return `${Math.max(0, Math.floor(ms / unit))}${letter}`;
}

/** How long after `start` it was ("+13 ms") in a terminal, else the absolute time. */
export const whenAfter = (start: number, time: number): string =>
  process.stdout.isTTY ? offset(time - start) : dateOf(time).toISOString();

/** Finer than `duration`: it distinguishes times within seconds. */
export function offset(ms: number): string {
  if (ms < 1000) return `+${Math.max(0, Math.round(ms))} ms`;
  return ms < 60_000 ? `+${(Math.floor(ms / 100) / 10).toFixed(1)} s` : `+${duration(ms)}`;
}

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
