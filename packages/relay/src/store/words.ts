/** Written without spaces: each character is a word. */
const ALONE = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]';
const WORDS = new RegExp(`${ALONE}|(?:(?!${ALONE})[\\p{L}\\p{M}\\p{N}])+`, 'gu');
const ACCENTS = /[\u0300-\u036f]/g;
/** Longer runs (keys, encoded files) are indexed by their start. */
const MAX_WORD_LENGTH = 64;

const folded = (word: string): string =>
  word
    .slice(0, MAX_WORD_LENGTH)
    .toWellFormed()
    .normalize('NFD')
    .replace(ACCENTS, '')
    .toLowerCase()
    .normalize('NFC');

/**
 * The words of a text for search, the same for every database: runs of letters and digits without case and
 * accents. Removing a message from the index needs the same words again: a change here needs a new index.
 */
export const wordsOf = (text: string): string[] =>
  Array.from(text.matchAll(WORDS), ([word]) => folded(word)).filter(Boolean);

/** The phrases, of one or more words, that must all occur in a message. */
export function phrasesOf(query: string): string[][] {
  return Array.from(query.matchAll(/"([^"]*)"?|[^\s"]+/g), ([term, quoted]) =>
    wordsOf(quoted ?? term),
  ).filter((phrase) => phrase.length > 0);
}

const OPEN = '\ue000';
const CLOSE = '\ue001';
/** How much text is shown before the first match, and in total. */
const LEAD = 60;
const SHOWN = 240;

/** The text around the first match, with each matching word between U+E000 and U+E001. */
export function highlight(text: string, phrases: string[][]): string {
  const body = text.replaceAll(OPEN, '\ufffd').replaceAll(CLOSE, '\ufffd');
  const places = Array.from(body.matchAll(WORDS), ({ 0: word, index }) => ({
    word: folded(word),
    start: index,
    end: index + word.length,
  }));
  const found = new Set(
    phrases.flatMap((phrase) =>
      occurrences(
        places.map(({ word }) => word),
        phrase,
      ),
    ),
  );
  const marked = places.filter((_, position) => found.has(position));
  const from = wordStart(places, Math.max(0, (marked[0]?.start ?? 0) - LEAD));
  const to = Math.min(body.length, from + SHOWN);
  let shown = from > 0 ? '…' : '';
  let at = from;
  for (const { start, end } of marked) {
    if (end > to) break;
    shown += `${body.slice(at, start)}${OPEN}${body.slice(start, end)}${CLOSE}`;
    at = end;
  }
  return shown + body.slice(at, to).toWellFormed() + (to < body.length ? '…' : '');
}

/** The positions of all words of a phrase wherever it occurs. */
function occurrences(words: string[], phrase: string[]): number[] {
  return words.flatMap((_, position) =>
    phrase.every((word, offset) => words[position + offset] === word)
      ? phrase.map((_word, offset) => position + offset)
      : [],
  );
}

/** The start of the first word at or after an index, so that no word is cut. */
const wordStart = (places: Array<{ start: number }>, index: number): number =>
  index === 0 ? 0 : (places.find(({ start }) => start >= index)?.start ?? index);
