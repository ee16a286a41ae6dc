import type { ScreenLine } from '../../screen/view.ts';
import type { ConversationReader, ConversationRow } from '../conversation.ts';

const BOTTOM = /^( *)╹(▀{8,})/;
const BAR = '┃';
/** Of an answer, from the bar of the composer. */
const INDENT = 3;
/** Of an answer, from its right edge. */
const MARGIN = 2;

/**
 * OpenCode shows answers without a sign, indented; prompts and what tools show have a bar at their left, beside their panel or on
 * it. Beside the conversation there may be other things.
 */
export const opencodeConversation: ConversationReader = ({ lines, cursor }) => {
  const bottom = lines.findLastIndex(({ text }) => BOTTOM.test(text));
  const [, blanks = '', half = ''] = BOTTOM.exec(lines[bottom]?.text ?? '') ?? [];
  const bar = blanks.length;
  const hasBar = (row: number) => lines[row]?.text[bar] === BAR;
  if (bottom < 0 || cursor.row >= bottom || !hasBar(bottom - 1)) return undefined;
  let end = bottom;
  while (hasBar(end - 1)) end--;
  const column = bar + INDENT;
  const right = bar + 1 + half.length;
  const rows = lines.slice(0, end).map((line) => readRow(line, column, right));
  return { rows, width: right - column - MARGIN };
};

function readRow(line: ScreenLine, column: number, right: number): ConversationRow {
  const text = line.text.slice(0, right).trimEnd();
  // `▣  Build · model · 2.8s` is below an answer from its start.
  if (text === '' || /^ *▣ /.test(text)) return { speaker: 'other', text: '' };
  const sign = text.slice(0, column).trim();
  if (sign === '') return { speaker: 'agent', text: text.slice(column) };
  if (sign === BAR && line.isBesidePanel) return { speaker: 'person', text: text.slice(column) };
  return { speaker: 'other', text };
}
