import type { ScreenView } from '../screen/view.ts';

/** The author of a row: `unknown` above the first row that tells, `other` for tools and notes of the CLI. */
export type Speaker = 'agent' | 'person' | 'other' | 'unknown';

/** A row of the displayed conversation. */
export interface ConversationRow {
  readonly speaker: Speaker;
  /** From the column where the text of an answer begins. */
  readonly text: string;
}

export interface Conversation {
  /** From top to bottom, without the composer. */
  readonly rows: readonly ConversationRow[];
  /** The column at which the text of an answer wraps. */
  readonly width: number;
}

/** Finds the conversation on the screen of a CLI; undefined if uncertain. */
export type ConversationReader = (view: ScreenView) => Conversation | undefined;

/** How a CLI marks what belongs together: a sign in the first column, and the rows below indented. */
export interface BlockStyle {
  readonly signs: Readonly<Record<string, Exclude<Speaker, 'unknown'>>>;
  /** The column where the text begins. */
  readonly column: number;
  /** The first row of a tool's output; the rest is indented more than an answer. */
  readonly result?: RegExp;
  /** Rows that change by themselves, or are drawn beside the conversation: spinners and hints. */
  isPassing(text: string, looks: string): boolean;
}

/** Reads rows in the style of a CLI. A row with an unknown sign starts something else. */
export function readBlocks(
  lines: ScreenView['lines'],
  { signs, column, result, isPassing }: BlockStyle,
): ConversationRow[] {
  let speaker: Speaker = 'unknown';
  let isResult = false;
  return lines.map(({ text, looks }) => {
    if (text === '' || isPassing(text, looks)) return { speaker, text: '' };
    isResult = result?.test(text) === true || (isResult && text.search(/\S/) > column);
    if (isResult) return { speaker, text: '' };
    const sign = text.slice(0, column).trim();
    if (sign !== '') speaker = signs[sign] ?? 'other';
    return { speaker, text: text.slice(column) };
  });
}
