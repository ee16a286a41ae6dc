import { singlesOf, type WaitingItem } from './waiting-item.ts';

/** Text of one line, in the block of an item. */
const COLUMNS = { desk: 100, phone: 42 };
const LINE = 20;
/** The block of a long text has so many lines. */
const MOST_LINES = 12;
/** The head, the buttons and what is around them. */
const FRAME = 104;
/** An item with nothing but a head and buttons beside it. */
const SHORT = 74;

/** About how high an item is when it is shown in full. */
export function heightOf(item: WaitingItem): number {
  const isPhone = innerWidth <= 760;
  if (item.kind === 'held') return FRAME + LINE * Math.min(item.messages.length, 4);
  if (item.kind === 'stopped' || singlesOf(item).length > 1) return isPhone ? FRAME + LINE : SHORT;
  const columns = isPhone ? COLUMNS.phone : COLUMNS.desk;
  const lines = item.text.split('\n', MOST_LINES).map((line) => Math.ceil((line.length || 1) / columns));
  const count = lines.reduce((sum, more) => sum + more, 0);
  return FRAME + LINE * Math.min(count, MOST_LINES);
}
