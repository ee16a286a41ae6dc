/** From here on, blank lines are counted instead of shown: they would push what follows out of sight. */
const MANY = 4;

/** Nothing that can be seen, also by letters that are drawn as nothing. */
const BLANK = /^[\s\p{Cf}\u115f\u1160\u2800\u3164\uffa0]*$/u;

/** A text in order: as it is, and runs of blank lines as their number. */
export function piecesOf(text: string): Array<string | { blankLines: number }> {
  const pieces: Array<string | { blankLines: number }> = [];
  let shown: string[] = [];
  let blank: string[] = [];
  const flush = () => {
    if (shown.length > 0) pieces.push(shown.join('\n'));
    shown = [];
  };
  const endRun = () => {
    if (blank.length < MANY) shown.push(...blank);
    else {
      flush();
      pieces.push({ blankLines: blank.length });
    }
    blank = [];
  };
  for (const line of text.split('\n')) {
    if (BLANK.test(line)) blank.push(line);
    else {
      if (blank.length > 0) endRun();
      shown.push(line);
    }
  }
  endRun();
  flush();
  return pieces;
}
