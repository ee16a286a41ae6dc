/** A text as `wholeText` shows it, read back. */
export interface ReadBack {
  title: string;
  text: string;
  /** The lines below it. */
  rest: string[];
}

/** Reads as a person does: the title counts the lines that are its own, whatever is in them. Throws if that is not so. */
export function readWholeText(shown: string): ReadBack {
  const [title = '', ...below] = shown.split('\n');
  const [, counted] = / \((\d+) lines?(?:; those with ! are escaped)?\):$/.exec(title) ?? [];
  if (counted === undefined) {
    const [line = '', ...rest] = below;
    if (!line.startsWith('  ')) throw new Error(`not indented: ${line}`);
    return { title, text: line.slice(2), rest };
  }
  const lines: string[] = [];
  let rows = 0;
  while (lines.length < Number(counted)) lines.push(...linesOf(below[rows++] ?? '', lines.length + 1));
  return { title, text: lines.join('\n'), rest: below.slice(rows) };
}

function linesOf(row: string, expected: number): string[] {
  const [, from, to, mark, line = ''] = /^ {2} *(\d+)(?:-(\d+))?([ !]) (.*)$/s.exec(row) ?? [];
  if (Number(from) !== expected) throw new Error(`not the row of line ${expected}: ${row}`);
  if (to !== undefined) return Array(Number(to) - Number(from) + 1).fill('');
  return [mark === '!' ? unescaped(line) : line];
}

const unescaped = (line: string): string =>
  line.replace(/\\(?:\\|u\{([0-9a-f]+)\}|\{(\d+) (space|tab)s?\})/g, (_, code, count, blank) => {
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
    return count === undefined ? '\\' : (blank === 'tab' ? '\t' : ' ').repeat(Number(count));
  });
