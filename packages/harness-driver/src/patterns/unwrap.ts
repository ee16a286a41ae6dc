import type { Conversation, ConversationRow, Speaker } from '../clis/conversation.ts';
import { isCommand } from './command.ts';

/** A line as written, before the CLI wrapped it. */
export interface SpokenLine {
  readonly speaker: Speaker;
  readonly text: string;
  /** Whether an empty line is above it. */
  readonly isApart: boolean;
}

const LIST = /^(\s*)(?:[-*•]|\d+[.)])\s+/;
/** Punctuation that ends a sentence. */
const SENTENCE_END = /[.:!?…]$/;
/** Long words are wrapped after these characters, without a space. */
const WORD_PART = /[/\\]$|\w-$|->(?:relay|mcp):$/;

/** Joins rows that a CLI has wrapped: those where the first word of the next row would not have fit. */
export function unwrap({ rows, width }: Conversation): SpokenLine[] {
  const lines: Array<{ speaker: Speaker; text: string; isApart: boolean }> = [];
  let above: ConversationRow | undefined;
  for (const row of rows) {
    const last = lines.at(-1);
    if (row.text.trim() === '') above = undefined;
    else {
      if (last && above && above.speaker === row.speaker && continues(above, row, last.text, width))
        last.text += glue(above.text, row.text, width) + row.text.trimStart();
      else lines.push({ speaker: row.speaker, text: row.text.trimEnd(), isApart: above === undefined });
      above = row;
    }
  }
  return lines;
}

function continues(above: ConversationRow, row: ConversationRow, line: string, width: number): boolean {
  const word = firstWord(row.text);
  if (cells(above.text) + 1 + cells(word) <= width) return false;
  const indent = indentOf(row.text);
  const hanging = LIST.exec(above.text)?.[0].length;
  if (indent !== indentOf(above.text) && indent !== hanging) return false;
  // Ambiguous: a command starts a new line after another command or a sentence.
  return !isCommand(row.text) || !(isCommand(line) || SENTENCE_END.test(above.text));
}

/** A word longer than a row is broken anywhere. */
function glue(above: string, row: string, width: number): string {
  const isFull = cells(above) >= width;
  const isBroken = isFull && cells(lastWord(above)) + cells(firstWord(row)) > width;
  return isBroken || WORD_PART.test(above) ? '' : ' ';
}

const indentOf = (text: string): number => text.length - text.trimStart().length;
const firstWord = (text: string): string => /\S+/.exec(text)?.[0] ?? '';
const lastWord = (text: string): string => text.slice(text.trimEnd().lastIndexOf(' ') + 1);

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/gu;
/** The width of a text in columns. */
const cells = (text: string): number =>
  text.length + (text.match(WIDE)?.filter((one) => one.length === 1).length ?? 0);
