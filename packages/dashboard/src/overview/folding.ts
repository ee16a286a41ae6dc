/** What is shown of a list of items: some in full, some as one line; the rest only as a number. */
export interface Folding {
  open: ReadonlySet<string>;
  lines: ReadonlySet<string>;
  hidden: number;
}

export interface Foldable {
  id: string;
  /** Its height in full, in pixels, as far as that can be told from its text. */
  height: number;
}

const MOST_OPEN = 3;
const MOST_LINES = 3;

/**
 * Opens the first items: at most three, and no more than there is room for, so that the agents below stay in sight. What was open
 * stays open, because the person may be writing there.
 */
export function fold(
  items: readonly Foldable[],
  { room, before, chosen }: { room: number; before: ReadonlySet<string>; chosen: ReadonlySet<string> },
): Folding {
  const open = new Set(items.map(({ id }) => id).filter((id) => before.has(id) || chosen.has(id)));
  // What the person opened takes no room from the others.
  const counted = items.filter(({ id }) => open.has(id) && !chosen.has(id));
  let count = counted.length;
  let used = counted.reduce((sum, { height }) => sum + height, 0);
  for (const { id, height } of items) {
    if (open.has(id)) continue;
    if (count >= MOST_OPEN || (count > 0 && used + height > room)) break;
    open.add(id);
    count += 1;
    used += height;
  }
  const folded = items.filter(({ id }) => !open.has(id)).map(({ id }) => id);
  const lines = new Set(folded.slice(0, MOST_LINES));
  return { open, lines, hidden: folded.length - lines.size };
}
