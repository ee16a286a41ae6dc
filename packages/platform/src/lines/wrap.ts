/** East Asian characters and emoji take two columns of a terminal. */
const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6])/u;
/** Each of these takes one column. */
const PLAIN = /^[ -~]*$/;
// Made on first use: it loads Unicode tables, which takes longer than most commands.
let graphemes: Intl.Segmenter | undefined;

function lettersOf(text: string): string[] {
  if (PLAIN.test(text)) return [...text];
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return [...graphemes.segment(text)].map(({ segment }) => segment);
}

const widthOfLetter = (letter: string): number =>
  WIDE.test(letter) || letter.includes('\ufe0f') || (letter.codePointAt(0) ?? 0) >= 0x20000 ? 2 : 1;
const widthOf = (text: string): number =>
  PLAIN.test(text)
    ? text.length
    : lettersOf(text).reduce((width, letter) => width + widthOfLetter(letter), 0);

/** Wraps text at `width` columns, between words; only longer words are broken. */
export const wrap = (text: string, width: number): string =>
  text
    .split('\n')
    .map((line) => wrapLine(line, Math.max(width, 2)))
    .join('\n');

function wrapLine(line: string, width: number): string {
  if (widthOf(line) <= width) return line;
  const lines: string[] = [];
  let current = '';
  // Also matches the spaces at the end, so that the search never starts again inside them.
  for (const [piece = ''] of line.matchAll(/\s*(?:\S+|$)/g)) {
    if (piece.trim() === '') continue;
    if (widthOf(current + piece) <= width) {
      current += piece;
      continue;
    }
    // Spaces at a line break are dropped; those at the start of the text are indentation.
    const word = lines.length === 0 && current === '' ? piece : piece.trimStart();
    if (current !== '') lines.push(current);
    const parts = pieces(word, width);
    lines.push(...parts.slice(0, -1));
    current = parts.at(-1) ?? '';
  }
  return [...lines, current].join('\n');
}

/**
 * A line in rows of at most `width` columns, without dropping a character: after a blank if there is one in the second half of the
 * row. Rows after the first begin with `margin` blanks. Tabs become blanks.
 */
export function rowsOf(line: string, width: number, margin: number): string[] {
  const rows: string[] = [];
  let row = '';
  let used = 0;
  let room = Math.max(width, 2);
  const begin = Math.min(margin, Math.floor(room / 2));
  for (const letter of lettersOf(withoutTabs(line))) {
    if (used + widthOfLetter(letter) > room) {
      const blank = row.lastIndexOf(' ') + 1;
      const end = blank >= row.length / 2 ? blank : row.length;
      rows.push(row.slice(0, end));
      row = row.slice(end);
      used = widthOf(row);
      room = Math.max(width - begin, 2);
    }
    row += letter;
    used += widthOfLetter(letter);
  }
  const [first = '', ...rest] = [...rows, row];
  return [first, ...rest.map((one) => ' '.repeat(begin) + one)];
}

const TAB = 8;

const withoutTabs = (line: string): string =>
  line.split('\t').reduce((before, part) => before + ' '.repeat(TAB - (widthOf(before) % TAB)) + part);

function pieces(word: string, width: number): string[] {
  const parts = [''];
  for (const letter of lettersOf(word)) {
    const last = parts.at(-1) ?? '';
    if (widthOf(last + letter) <= width) parts[parts.length - 1] = last + letter;
    else parts.push(letter);
  }
  return parts;
}
