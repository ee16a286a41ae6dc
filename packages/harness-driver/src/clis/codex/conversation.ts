import { type BlockStyle, type ConversationReader, readBlocks } from '../conversation.ts';

const COLUMN = 2;
const STYLE: BlockStyle = {
  signs: { '•': 'agent', '›': 'person' },
  column: COLUMN,
  result: /^ {2}[└│├]/,
  // Its status, and the duration of a turn, which is dim.
  isPassing: (text, looks) =>
    /\besc to interrupt\b/.test(text) || (text.startsWith('  ') && looks[2] === 'd'),
};

/** Codex shows the conversation above its composer, and in the first row the prompt of the turn if that is out of sight. */
export const codexConversation: ConversationReader = ({ lines, cursor, columns }) => {
  const end = lines.findLastIndex(
    ({ text, looks }, row) => row <= cursor.row && /^›( |$)/.test(text) && looks[0] === 'b',
  );
  if (end < 0) return undefined;
  const first = isHeader(lines[0]?.text ?? '') ? 1 : 0;
  return { rows: readBlocks(lines.slice(first, end), STYLE), width: columns - COLUMN };
};

const isHeader = (text: string): boolean => text.startsWith('› ') && text.includes('…');
