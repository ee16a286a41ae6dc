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
 * Opens the first items: at most three, and no more than there is room for, so that the agents below stay visible. Open items
 * stay open, because the person may be writing there.
 */
export function fold(
  items: readonly Foldable[],
  { room, before, chosen }: { room: number; before: ReadonlySet<string>; chosen: ReadonlySet<string> },
): Folding {
  const open = new Set(items.map(({ id }) => id).filter((id) => before.has(id) || chosen.has(id)));
  // Items the person opened do not count.
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
