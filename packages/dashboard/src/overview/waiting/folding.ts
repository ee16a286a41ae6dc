/** How a list is shown: some items in full, some as one line, the rest as a count. */
export interface Folding {
  open: ReadonlySet<string>;
  lines: ReadonlySet<string>;
  hidden: number;
}

export interface Foldable {
  id: string;
  /** Its full height in pixels, estimated from its text. */
  height: number;
}

const MOST_OPEN = 3;
const MOST_LINES = 3;

/**
 * Opens the first items, which are the most urgent: at most three, and no more than there is room for, so that the agents below
 * stay visible. Those the person opened or uses stay open.
 */
export function fold(
  items: readonly Foldable[],
  { room, used, chosen }: { room: number; used: ReadonlySet<string>; chosen: ReadonlySet<string> },
): Folding {
  const open = new Set(items.map(({ id }) => id).filter((id) => used.has(id) || chosen.has(id)));
  let count = 0;
  let taken = 0;
  for (const { id, height } of items) {
    // What the person opened does not count.
    if (chosen.has(id)) continue;
    if (!open.has(id) && (count >= MOST_OPEN || (count > 0 && taken + height > room))) break;
    open.add(id);
    count += 1;
    taken += height;
  }
  const folded = items.filter(({ id }) => !open.has(id)).map(({ id }) => id);
  const lines = new Set(folded.slice(0, MOST_LINES));
  return { open, lines, hidden: folded.length - lines.size };
}
