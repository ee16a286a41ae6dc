import { type BlockStyle, type ConversationReader, readBlocks } from '../conversation.ts';

const COLUMN = 2;
const STYLE: BlockStyle = {
  signs: { '✦': 'agent', '>': 'person' },
  column: COLUMN,
  // Hints at the right, and the status: `⠦ Thinking... (esc to cancel, 2s)`.
  isPassing: (text) => /^ {24,}\S|^ [⠀-⣿] |\(esc to cancel/.test(text),
};

/** Gemini CLI shows the conversation above the line over its composer; a prompt is indented by one column more. */
export const geminiConversation: ConversationReader = ({ lines, cursor, columns }) => {
  const end = lines.findLastIndex(({ text }, row) => row < cursor.row && text.startsWith('────'));
  if (end < 0) return undefined;
  return { rows: readBlocks(lines.slice(0, end), STYLE), width: columns - COLUMN };
};
