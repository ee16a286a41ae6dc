import { RE2JS } from 're2js';

/** Longer ones are no patterns that a person wrote. */
const MAX_PATTERN = 1024;

export interface Pattern {
  /** How much work one character of a text is at most. */
  readonly size: number;
  test(text: string): boolean;
}

/**
 * A pattern of a schema that runs in linear time: whoever wrote the schema and whoever wrote the text may want to keep the
 * daemon busy. Undefined for what cannot be run so (look-around, back references): the callee is left to check it.
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
