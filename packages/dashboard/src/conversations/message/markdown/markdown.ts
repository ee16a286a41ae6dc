import { safeText } from '@agent-relay/protocol';
import { readBlocks } from './blocks.ts';
import { type Block, textsOf } from './tree.ts';

/** A text of more parts than this is drawn as it is: nobody writes so many marks, and they would stop the page. */
const MOST_PARTS = 5_000;

const WORDS = /[\p{L}\p{M}\p{N}]+/gu;

/**
 * Reads a text that agents read, for a person: they must see every word of it. What would hide one, or is too much to
 * draw, is not formatted at all.
 */
export function readMarkdown(text: string): { blocks: Block[] } | { plain: string } {
  const safe = safeText(text);
  const blocks = readBlocks(safe);
  const texts = [...textsOf(blocks)];
  if (texts.length > MOST_PARTS) return { plain: safe };
  const drawn = new Set(wordsOf(texts.join(' ')));
  return wordsOf(safe).every((word) => drawn.has(word)) ? { blocks } : { plain: safe };
}

const wordsOf = (text: string): string[] => text.match(WORDS) ?? [];
