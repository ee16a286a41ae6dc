import { type Group, type SingleItem, singlesOf, type WaitingItem } from './waiting-item.ts';

/** Reasons that end by themselves, or harm nobody meanwhile. */
const CAN_WAIT: ReadonlySet<string> = new Set(['usage_limit', 'starting']);

/** The classes, the most urgent first: what the person allows, what they are asked, what stands still, what can wait. */
function classOf(item: SingleItem): number {
  switch (item.kind) {
    case 'prompt':
    case 'consent':
      return 0;
    case 'question':
      return 1;
    case 'mention':
      return 2;
    case 'stopped':
      if (item.stopped.code === 'approval_dialog') return 0;
      return CAN_WAIT.has(item.stopped.code) ? 4 : 3;
    case 'held':
      return 5;
  }
}

/** So many for one reason are one item. */
const GROUPED_FROM = 3;

/**
 * By urgency, and in a class the oldest first: who has waited longest is next, and what arrives stands below. Agents that stand
 * still and held messages are grouped by reason; permissions and questions never are, because each has to be read.
 */
export function inOrderOfUrgency(
  items: readonly SingleItem[],
  inWords: (time: number) => string,
): WaitingItem[] {
  const byReason = new Map<string, SingleItem[]>();
  const sorted = items.toSorted(
    (one, other) => classOf(one) - classOf(other) || one.since - other.since || (one.id < other.id ? -1 : 1),
  );
  for (const item of sorted) {
    const reason = reasonOf(item);
    byReason.set(reason, [...(byReason.get(reason) ?? []), item]);
  }
  return [...byReason].flatMap(([reason, members]): WaitingItem[] =>
    members.length < GROUPED_FROM ? members : [groupOf(reason, members, inWords)],
  );
}

function reasonOf(item: SingleItem): string {
  if (item.kind === 'held') return 'held';
  const isSame = item.kind === 'stopped' && item.stopped.code !== 'approval_dialog';
  return isSame ? `stopped ${item.stopped.code}` : item.id;
}

function groupOf(reason: string, members: SingleItem[], inWords: (time: number) => string): Group {
  const [first] = members;
  const since = Math.min(...members.map((member) => member.since));
  const names = members.flatMap((member) => (member.kind === 'stopped' ? [member.stopped.agent.name] : []));
  if (first?.kind !== 'stopped') {
    const count = members.reduce((sum, one) => sum + (one.kind === 'held' ? one.messages.length : 0), 0);
    const title = `${members.length} conversations: ${count.toLocaleString()} messages held`;
    return { kind: 'group', id: reason, title, text: 'Agents may be in a loop.', since, members };
  }
  const ends = members.flatMap((member) =>
    member.kind === 'stopped' && member.stopped.until !== undefined ? [member.stopped.until] : [],
  );
  const title = `${members.length} agents: ${first.stopped.reason}${endOf(ends, members.length, inWords)}`;
  return { kind: 'group', id: reason, title, text: listOf(names), since, members };
}

/** Until when they stand still; if that differs, until when the first does. */
function endOf(ends: number[], count: number, inWords: (time: number) => string): string {
  if (ends.length === 0) return '';
  const times = new Set(ends.map(inWords));
  const first = inWords(Math.min(...ends));
  return times.size === 1 && ends.length === count ? ` until ${first}` : `, the first until ${first}`;
}

/** Whether an item is, or has, the one with this id. */
export const isAmong = (item: WaitingItem, id: string): boolean =>
  item.id === id || singlesOf(item).some((single) => single.id === id);

const MOST_NAMES = 6;

const listOf = (names: string[]): string =>
  names.length <= MOST_NAMES + 1
    ? names.join(', ')
    : `${names.slice(0, MOST_NAMES).join(', ')} and ${names.length - MOST_NAMES} more`;
