import type { AgentInfo } from '@agent-relay/sdk';
import { computed, signal } from '@preact/signals';
import { inOrder, runsAs } from '../model/agents.ts';
import { agents } from '../model/project.ts';
import { order, ordered } from './agent-order.ts';
import { type AgentState, stateOf } from './agent-state.ts';

export type Show = 'all' | AgentState;
export type Grouping = 'none' | 'parent' | 'cli';

export const words = signal('');
export const show = signal<Show>('all');
export const grouping = signal<Grouping>('none');

export const everybody = computed(() => [...agents.value.values()].sort(inOrder));

/** The number of agents per filter. People are listed under "all" but not counted: they are not agents. */
export const counts = computed<Record<Show, number>>(() => {
  const count = { all: 0, 'needs-you': 0, active: 0, idle: 0, offline: 0 };
  for (const agent of everybody.value) {
    if (agent.type !== 'agent') continue;
    count.all += 1;
    count[stateOf(agent)] += 1;
  }
  return count;
});

export const chosen = computed(() => {
  const wanted = words.value.trim().toLowerCase();
  return everybody.value.filter(
    (agent) =>
      (show.value === 'all' || (agent.type === 'agent' && stateOf(agent) === show.value)) &&
      (wanted === '' || textOf(agent).includes(wanted)),
  );
});

const textOf = (agent: AgentInfo): string =>
  [agent.name, agent.handle, agent.task, agent.parent, ...agent.capabilities, ...runsAs(agent)]
    .join(' ')
    .toLowerCase();

/** A row of the table: an agent, or the heading of a group. */
export type Row = { kind: 'agent'; agent: AgentInfo } | { kind: 'group'; title: string; count: number };

export const rows = computed<Row[]>(() => {
  const asRow = (agent: AgentInfo): Row => ({ kind: 'agent', agent });
  if (grouping.value === 'none') return ordered(chosen.value, order.value).map(asRow);
  const groups = new Map<string, AgentInfo[]>();
  for (const agent of chosen.value) {
    const title = titleFor(agent);
    groups.set(title, [...(groups.get(title) ?? []), agent]);
  }
  return [...groups].flatMap(([title, members]): Row[] => [
    { kind: 'group', title, count: members.length },
    ...ordered(members, order.value).map(asRow),
  ]);
});

const employers = computed(() => new Set(everybody.value.map(({ parent }) => parent)));

function titleFor({ type, cli, parent, name }: AgentInfo): string {
  if (type === 'human') return 'People';
  if (grouping.value === 'cli') return cli ?? 'Other programs';
  if (parent !== undefined) return `Hired by ${parent}`;
  return employers.value.has(name) ? `Hired by ${name}` : 'On their own';
}
