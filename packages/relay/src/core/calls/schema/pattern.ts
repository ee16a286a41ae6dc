import { RE2JS } from 're2js';

/** People do not write longer patterns. */
const MAX_PATTERN = 1024;

export interface Pattern {
  /** The maximum work per character of a text. */
  readonly size: number;
  test(text: string): boolean;
}

/**
 * A pattern of a schema that runs in linear time: the author of the schema or of the text may want to keep the
 * daemon busy. Undefined if that is not possible (look-around, back references): the callee has to check it.
 */
export function linearPattern(source: string): Pattern | undefined {
  if (source.length > MAX_PATTERN) return undefined;
  try {
    const compiled = RE2JS.compile(source.replace(/\\u([0-9A-Fa-f]{4})/g, '\\x{$1}'));
    return { size: compiled.programSize(), test: (text) => compiled.test(text) };
  } catch {
    return undefined;
  }
}
