/** The entry of one server: plain values, lists of strings, and one level of strings by name (the environment). */
export type ConfigValue = string | boolean | number | readonly string[] | Readonly<Record<string, string>>;
export type Entry = Readonly<Record<string, ConfigValue>>;
export type Table = Record<string, unknown>;

/** Where in a file something is, counted from 1. */
export interface FilePosition {
  line: number;
  column: number;
}

export type Parsed = { value: Table } | ({ problem: string } & FilePosition);

/**
 * A configuration file format, edited as text so that everything the user wrote stays as it was: comments,
 * order, spacing, line ends. The edit functions are only called with text that parses; the caller checks
 * the result by parsing it again.
 */
export interface ConfigFormat {
  /** Empty text is an empty table. */
  parse(text: string): Parsed;
  /** Writes the fields of the entry `name` in the table `servers`, and keeps its other fields. */
  set(text: string, servers: string, name: string, entry: Entry): string;
  remove(text: string, servers: string, name: string): string;
}

export const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

export function positionOf(text: string, offset: number): FilePosition {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}
