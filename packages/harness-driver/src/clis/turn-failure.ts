import type { ScreenLine } from '../screen/view.ts';
import type { TurnFailure } from './reading.ts';

/** How a CLI words each of them, without spaces: it breaks lines wherever they are full. */
export type FailureWords = ReadonlyArray<readonly [TurnFailure, RegExp]>;

/** Why the last turn failed, if that is what these lines, the last entry of a conversation, say. */
export function failureIn(entry: readonly ScreenLine[], words: FailureWords): TurnFailure | undefined {
  const text = entry.map((line) => line.text.replace(/\s+/g, '')).join('');
  return words.find(([, pattern]) => pattern.test(text))?.[0];
}

/** The lines from this one to the next empty one. */
export function paragraphAt(lines: readonly ScreenLine[], first: number): ScreenLine[] {
  const end = lines.findIndex(({ text }, row) => row > first && text.trim() === '');
  return first < 0 ? [] : lines.slice(first, end < 0 ? lines.length : end);
}
