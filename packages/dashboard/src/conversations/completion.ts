/** What is being typed in front of the cursor that could be completed: `@Al` or `#rel`. */
export interface Unfinished {
  mark: '@' | '#';
  word: string;
  /** Where the mark stands. */
  start: number;
}

export function unfinishedAt(text: string, cursor: number): Unfinished | undefined {
  const [, , mark, word] = /(^|[\s(])([@#])([\w-]*)$/.exec(text.slice(0, cursor)) ?? [];
  if (mark !== '@' && mark !== '#') return undefined;
  return { mark, word: word ?? '', start: cursor - (word ?? '').length - 1 };
}

const MOST = 6;

/** The names that could be meant: those that begin so, then those that have it in them. */
export function candidatesFor(word: string, names: readonly string[]): string[] {
  const wanted = word.toLowerCase();
  const begins = names.filter((name) => name.toLowerCase().startsWith(wanted));
  const holds = names.filter((name) => !begins.includes(name) && name.toLowerCase().includes(wanted));
  return [...begins, ...holds].slice(0, MOST);
}

/** The text with the word completed, and where the cursor is then. */
export function completed(
  text: string,
  { start, mark, word }: Unfinished,
  name: string,
): { text: string; cursor: number } {
  const rest = text.slice(start + 1 + word.length);
  const inserted = `${mark}${name} `;
  return { text: text.slice(0, start) + inserted + rest.replace(/^ /, ''), cursor: start + inserted.length };
}
