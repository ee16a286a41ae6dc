/**
 * Text that a person decides about, such as the command of a permission prompt: whole, and so that nothing in it can pass for
 * what stands around it. Each of its lines is indented; the title begins at the margin and counts them. One line stands as it is,
 * several are numbered:
 *
 *     Run this command:                   Run this command (3 lines; those with ! are escaped):
 *       rm -r build                         1  cd build
 *                                           2  rm -r *
 *                                           3! echo "\u{202e}"
 *
 * What cannot be seen in a line, or would push the rest out of sight, is escaped, and so is each backslash of that line. Empty
 * lines in a row stand as one, with the numbers of the first and the last.
 */
export function wholeText(title: string, text: string): string {
  const lines = text.split('\n').map((line, at) => ({ ...shownLine(line), label: `${at + 1}` }));
  const [only] = lines;
  if (lines.length === 1 && only && !only.isEscaped) return `${title}:\n  ${only.shown}`;
  const rows = joinEmpty(lines);
  const width = Math.max(...rows.map(({ label }) => label.length));
  const count = `${lines.length} ${lines.length === 1 ? 'line' : 'lines'}`;
  const note = lines.some(({ isEscaped }) => isEscaped) ? '; those with ! are escaped' : '';
  return [
    `${title} (${count}${note}):`,
    ...rows.map(
      ({ label, shown, isEscaped }) => `  ${label.padStart(width)}${isEscaped ? '!' : ' '} ${shown}`,
    ),
  ].join('\n');
}

/** The column where the text of such a line begins, after its number. Our own lines continue where none of them begins. */
export const indentOf = (line: string): number => /^ {2}(?: *\d+(?:-\d+)?[ !] )?/.exec(line)?.[0].length ?? 4;

/** A name or a path among our own words: as it is if it is plain, else in quotes. */
export const quotedName = (name: string): string =>
  /^[\w./@:+~-]{1,200}$/.test(name) ? name : spelledOut(JSON.stringify(name));

/** What somebody else says about it, on one line that begins with our own words, and not all of it if it is long. */
export function remark(words: string, text: string): string {
  const line = text
    .replace(/[\s\p{Z}]+/gu, ' ')
    .trim()
    .replace(UNSEEN, '\u{FFFD}');
  const characters = Array.from(line);
  const isLong = characters.length > MOST_REMARKED;
  return `${words}: ${isLong ? `${characters.slice(0, MOST_REMARKED).join('')}…` : line}`;
}

const MOST_REMARKED = 300;

interface Row {
  label: string;
  shown: string;
  isEscaped: boolean;
}

function shownLine(line: string): Omit<Row, 'label'> {
  const isEscaped = spelledOut(line) !== line;
  return { shown: isEscaped ? spelledOut(line.replaceAll('\\', '\\\\')) : line, isEscaped };
}

/** Hundreds of empty lines would hide what follows. */
function joinEmpty(rows: readonly Row[]): Row[] {
  const joined: Row[] = [];
  let from = 0;
  while (from < rows.length) {
    let to = from;
    while (rows[to]?.shown === '') to += 1;
    const count = to - from;
    if (count > MOST_EMPTY)
      joined.push({ label: `${from + 1}-${to}`, shown: `(${count} empty lines)`, isEscaped: false });
    else joined.push(...rows.slice(from, to));
    joined.push(...rows.slice(to, to + 1));
    from = to + 1;
  }
  return joined;
}

const MOST_EMPTY = 2;

const spelledOut = (line: string): string =>
  line
    .replace(BLANKS, (run) =>
      run !== line && widthOf(run) < MOST_COLUMNS ? run : run.replace(/ +|\t+/g, counted),
    )
    .replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

const counted = (run: string): string =>
  `\\{${run.length} ${run.startsWith(' ') ? 'space' : 'tab'}${run.length === 1 ? '' : 's'}}`;

const BLANKS = /[ \t]+/g;
/** As many blanks fill a row of a small screen. A line of nothing else would look empty. */
const MOST_COLUMNS = 40;
const widthOf = (blanks: string): number => blanks.replaceAll('\t', ' '.repeat(8)).length;

/**
 * Controls, direction marks, blanks other than space and tab, characters without a shape, and marks piled on one letter. The
 * joiner and the selector of emoji are part of them.
 */
const UNSEEN =
  /(?!(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D(?=\p{Extended_Pictographic})|(?<=\p{Extended_Pictographic})\uFE0F)[[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]--[ \t]]|(?<=\p{M}{3})\p{M}/gv;
