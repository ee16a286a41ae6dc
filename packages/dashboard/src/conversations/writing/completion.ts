/** The word before the cursor that can be completed: `@Al` or `#rel`. */
export interface Unfinished {
  mark: '@' | '#';
  word: string;
  /** Position of the `@` or `#`. */
  start: number;
}

export function unfinishedAt(text: string, cursor: number): Unfinished | undefined {
  const [, , mark, word] = /(^|[\s(])([@#])([\w-]*)$/.exec(text.slice(0, cursor)) ?? [];
  if (mark !== '@' && mark !== '#') return undefined;
  return { mark, word: word ?? '', start: cursor - (word ?? '').length - 1 };
}

const MOST = 6;

/** Matching names: those that start with the word, then those that contain it. */
export function candidatesFor(word: string, names: readonly string[]): string[] {
  const wanted = word.toLowerCase();
  const begins = names.filter((name) => name.toLowerCase().startsWith(wanted));
  // With hundreds of names, most words are found here.
  if (begins.length >= MOST) return begins.slice(0, MOST);
  const holds = names.filter((name) => !begins.includes(name) && name.toLowerCase().includes(wanted));
  return [...begins, ...holds].slice(0, MOST);
}

/** The text with the word completed, and the new cursor position. */
export function completed(
  text: string,
  { start, mark, word }: Unfinished,
  name: string,
): { text: string; cursor: number } {
  const rest = text.slice(start + 1 + word.length);
  const inserted = `${mark}${name} `;
  return { text: text.slice(0, start) + inserted + rest.replace(/^ /, ''), cursor: start + inserted.length };
}
