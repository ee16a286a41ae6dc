/** The lines around a change that are shown with it. */
const CONTEXT = 2;

/** What an edit changes, as one block of lines with `+`, `-` or a space before them. */
export function showChange(before: string, after: string): string[] {
  const old = linesOf(before);
  const now = linesOf(after);
  const shortest = Math.min(old.length, now.length);
  let head = 0;
  while (head < shortest && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shortest - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const marked = (mark: string, lines: string[]) => lines.map((line) => `${mark} ${line}`.trimEnd());
  return [
    ...marked(' ', old.slice(Math.max(0, head - CONTEXT), head)),
    ...marked('-', old.slice(head, old.length - tail)),
    ...marked('+', now.slice(head, now.length - tail)),
    ...marked(' ', old.slice(old.length - tail, old.length - tail + CONTEXT)),
  ];
}

const linesOf = (text: string): string[] => {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
};
