import type { AgentInfo } from '@agent-relay/sdk';
import { signal } from '@preact/signals';
import { byName, pathInUse } from '../model/agents.ts';
import { now } from '../parts/time.tsx';

/** The columns of the table. */
export const COLUMNS = ['agent', 'task', 'delivery', 'unread', 'activity'] as const;
export type Column = (typeof COLUMNS)[number];

/** The column the agents are ordered by; undefined: their usual order. */
export interface Order {
  column: Column;
  isReversed: boolean;
}
export const order = signal<Order | undefined>(undefined);

/** Each click on a heading: by this column, the other way round, back to the usual order. */
export function orderBy(column: Column): void {
  const known = order.value;
  if (known?.column !== column) order.value = { column, isReversed: false };
  else order.value = known.isReversed ? undefined : { column, isReversed: true };
}

/** A minus sign means reversed. */
export const textOfOrder = (wanted: Order | undefined): string =>
  wanted === undefined ? '' : `${wanted.isReversed ? '-' : ''}${wanted.column}`;

export function orderOfText(text: string): Order | undefined {
  const column = COLUMNS.find((one) => one === text.replace('-', ''));
  return column && { column, isReversed: text.startsWith('-') };
}

const MINUTE_MS = 60_000;

/** Counted as it is shown: rows that jump with every message cannot be read. */
const minutesAgo = ({ lastActivityAt }: AgentInfo): number =>
  lastActivityAt === undefined
    ? Number.POSITIVE_INFINITY
    : Math.max(0, Math.floor((now.value - lastActivityAt) / MINUTE_MS));

/** Those that cannot get a message now come first. */
function readiness(agent: AgentInfo): number {
  if (agent.status === 'offline') return 3;
  const path = pathInUse(agent);
  if (path === undefined) return 2;
  return path.state === 'waits' ? 0 : 1;
}

/** Each column first shows what a person looks for: the first name, the most unread, the latest activity. */
const FIRST: Record<Column, (one: AgentInfo, other: AgentInfo) => number> = {
  agent: byName,
  // Without a task: last.
  task: (one, other) =>
    Number(one.task === undefined) - Number(other.task === undefined) ||
    (one.task ?? '').localeCompare(other.task ?? ''),
  delivery: (one, other) => readiness(one) - readiness(other),
  unread: (one, other) => (other.unread ?? 0) - (one.unread ?? 0),
  // Not a difference: two infinite times have none.
  activity: (one, other) => {
    const [mine, theirs] = [minutesAgo(one), minutesAgo(other)];
    return mine === theirs ? 0 : mine - theirs;
  },
};

/** The agents in the wanted order. Equal ones keep theirs; people stay last. */
export function ordered(agents: readonly AgentInfo[], wanted: Order | undefined): readonly AgentInfo[] {
  if (wanted === undefined) return agents;
  const compare = FIRST[wanted.column];
  const sign = wanted.isReversed ? -1 : 1;
  return agents.toSorted(
    (one, other) =>
      Number(one.type === 'human') - Number(other.type === 'human') || sign * compare(one, other),
  );
}
