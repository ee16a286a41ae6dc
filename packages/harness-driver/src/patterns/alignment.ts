/** A known text and its match among the seen ones. */
export interface Pair {
  known: number;
  seen: number;
}

/**
 * Matches the visible texts with known ones, in order. The longest common part wins; of several, the last one in the
 * known texts and the first one in the visible.
 */
export function align(known: readonly string[], seen: readonly string[]): Pair[] {
  const width = seen.length + 1;
  // Of what is known from `row` on and seen from `column` on.
  const longest = new Uint16Array((known.length + 1) * width);
  const at = (row: number, column: number): number => longest[row * width + column] ?? 0;
  for (let row = known.length - 1; row >= 0; row--) {
    for (let column = seen.length - 1; column >= 0; column--) {
      longest[row * width + column] =
        known[row] === seen[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const pairs: Pair[] = [];
  let [row, column] = [0, 0];
  while (at(row, column) > 0) {
    if (at(row + 1, column) === at(row, column)) row++;
    else if (known[row] === seen[column]) pairs.push({ known: row++, seen: column++ });
    else column++;
  }
  return pairs;
}
