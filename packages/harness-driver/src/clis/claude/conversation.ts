import { type BlockStyle, type ConversationReader, readBlocks } from '../conversation.ts';

const COLUMN = 2;
const STYLE: BlockStyle = {
  signs: { '●': 'agent', '⏺': 'agent', '❯': 'person', '>': 'person' },
  column: COLUMN,
  result: /^\s*⎿/,
  // Hints at the right, and the status: `✻ Composing… (3s)`.
  isPassing: (text) => /^ {24,}\S|^[^\s●⏺❯>] \p{L}[^…]*…/u.test(text),
};

/** Claude Code shows the conversation above the line over its composer. */
export const claudeConversation: ConversationReader = ({ lines, cursor, columns }) => {
  const end = lines.findLastIndex(({ text }, row) => row < cursor.row && text.startsWith('────'));
  if (end < 0) return undefined;
  return { rows: readBlocks(lines.slice(0, end), STYLE), width: columns - COLUMN };
};
