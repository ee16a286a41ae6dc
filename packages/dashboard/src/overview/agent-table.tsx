import type { AgentInfo } from '@agent-relay/sdk';
import { memo } from 'preact/compat';
import { welcome } from '../connection/connection.ts';
import { runsAs } from '../model/agents.ts';
import { Avatar } from '../parts/avatar.tsx';
import { CommandLine, runCommand } from '../parts/command.tsx';
import { Icon } from '../parts/icon.tsx';
import { Soon } from '../parts/soon.tsx';
import { Ago } from '../parts/time.tsx';
import { WindowedRows } from '../parts/windowed-rows.tsx';
import { linkTo } from '../routes.ts';
import { hasTerminal } from '../terminals/live-terminals.ts';
import {
  chosen,
  counts,
  everybody,
  type Grouping,
  grouping,
  type Row,
  rows,
  type Show,
  show,
  words,
} from './agent-filter.ts';
import { AgentMap } from './agent-map.tsx';
import { AgentMenu } from './agent-menu.tsx';
import { COLUMNS, type Column, order, orderBy, orderOfText, textOfOrder } from './agent-order.ts';
import { type AgentState, STATE_WORDS, stateOf } from './agent-state.ts';
import { PathState } from './path-state.tsx';

/** Up to this many rows all are rendered; beyond, only the visible ones. */
const ALL_ROWS = 40;
/** With more agents, a map shows all at once. */
const MAP_FROM = 30;
const ROW_HEIGHT = 57;

const SHOWS: Array<[show: Show, text: string]> = [
  ['all', 'All'],
  ...(Object.entries(STATE_WORDS) as Array<[AgentState, string]>),
];

/** All agents and people of the project, including those offline. */
export function AgentTable() {
  if (!everybody.value.some(({ type }) => type === 'agent')) return <NoAgents />;
  const shown = rows.value;
  const isLong = shown.length > ALL_ROWS && matchMedia('(min-width: 761px)').matches;
  return (
    <section class="card flush" aria-labelledby="agents">
      <header class="card-head agents-head">
        <h2 id="agents">Agents</h2>
        <Filters />
      </header>
      {chosen.value.length >= MAP_FROM && (
        <Soon>
          <AgentMap />
        </Soon>
      )}
      {isLong ? (
        <WindowedRows
          rows={shown}
          rowHeight={ROW_HEIGHT}
          columns={COLUMNS.length}
          head={<Head />}
          row={rowOf}
          label="Table of agents"
        />
      ) : (
        <div class="table-frame">
          <table class="agents">
            <Head />
            <tbody>{shown.map(rowOf)}</tbody>
          </table>
        </div>
      )}
      {shown.length === 0 && <p class="muted no-match">No agent matches.</p>}
    </section>
  );
}

const rowOf = (row: Row) =>
  row.kind === 'agent' ? (
    <AgentRow key={row.agent.name} agent={row.agent} />
  ) : (
    <tr key={`group ${row.title}`} class="group-row">
      <th colSpan={COLUMNS.length} scope="rowgroup">
        {row.title} <span class="muted">{row.count.toLocaleString()}</span>
      </th>
    </tr>
  );

function Filters() {
  return (
    <div class="agent-filters">
      <fieldset class="segments" aria-label="Show">
        {SHOWS.filter(([one]) => one === 'all' || one === show.value || counts.value[one] > 0).map(
          ([one, text]) => (
            <button
              key={one}
              type="button"
              aria-pressed={show.value === one}
              onClick={() => {
                show.value = one;
              }}
            >
              {text} <span class="segment-count">{counts.value[one].toLocaleString()}</span>
            </button>
          ),
        )}
      </fieldset>
      <input
        type="search"
        aria-label="Filter agents"
        placeholder="Filter"
        value={words.value}
        onInput={({ currentTarget }) => {
          words.value = currentTarget.value;
        }}
      />
      <select
        aria-label="Group agents"
        value={grouping.value}
        onChange={({ currentTarget }) => {
          grouping.value = currentTarget.value as Grouping;
        }}
      >
        <option value="none">No groups</option>
        <option value="parent">By who hired them</option>
        <option value="cli">By CLI</option>
      </select>
      {/* On phones, which have no column headings. */}
      <select
        class="only-phone"
        aria-label="Sort agents"
        value={textOfOrder(order.value)}
        onChange={({ currentTarget }) => {
          order.value = orderOfText(currentTarget.value);
        }}
      >
        <option value="">Usual order</option>
        {COLUMNS.map((column) => (
          <option key={column} value={column}>
            By {HEADINGS[column].toLowerCase()}
          </option>
        ))}
      </select>
    </div>
  );
}

const HEADINGS: Record<Column, string> = {
  agent: 'Agent',
  task: 'Task',
  delivery: 'Delivery',
  unread: 'Unread',
  activity: 'Last activity',
};
const NUMBERS: ReadonlySet<Column> = new Set(['unread', 'activity']);

const Head = () => (
  <thead>
    <tr>
      {COLUMNS.map((column) => (
        <Heading key={column} column={column} />
      ))}
    </tr>
  </thead>
);

/** A heading that sorts by its column. Numbers begin with the largest, or the latest. */
function Heading({ column }: { column: Column }) {
  const isNumber = NUMBERS.has(column);
  const sorted = order.value?.column === column ? order.value : undefined;
  const direction = sorted && (sorted.isReversed === isNumber ? 'ascending' : 'descending');
  return (
    <th scope="col" class={isNumber ? 'number' : undefined} aria-sort={direction}>
      <button type="button" class="sort" onClick={() => orderBy(column)}>
        {HEADINGS[column]}
        {direction && <Icon name={direction === 'ascending' ? 'up' : 'down'} size={12} />}
      </button>
    </th>
  );
}

const AgentRow = memo(({ agent }: { agent: AgentInfo }) => {
  const state = stateOf(agent);
  const { name, handle, lead, task, parent, unread = 0, lastActivityAt } = agent;
  const facts = [
    STATE_WORDS[state],
    ...runsAs(agent),
    ...(handle ? [`@${handle}`] : []),
    ...(parent ? [`by ${parent}`] : []),
  ].join(' · ');
  return (
    <tr class={`is-${state}`} data-row>
      <th scope="row">
        <a class="agent" href={linkTo(welcome.value?.project ?? '', 'agent', name)}>
          <Avatar name={name} status={state} />
          <span class="agent-text">
            <span class="agent-name">
              {name}
              {lead && <span class="tag">Lead</span>}
              {name === welcome.value?.agent?.name && <span class="tag">You</span>}
            </span>
            <span class="muted agent-kind" title={facts}>
              {facts}
            </span>
          </span>
        </a>
      </th>
      <td class="task" title={task}>
        {task === undefined ? <span class="muted">–</span> : <span class="task-text">{task}</span>}
      </td>
      <td class="delivery">
        <div class="delivery-cell">
          <PathState agent={agent} />
          {hasTerminal(agent) && (
            <a
              class="open-terminal"
              href={linkTo(welcome.value?.project ?? '', 'terminal', name)}
              title={`Terminal of ${name}`}
              aria-label={`Terminal of ${name}`}
            >
              <Icon name="terminal" />
            </a>
          )}
        </div>
      </td>
      <td class="number">
        {unread > 0 ? (
          <span class="unread">
            {unread.toLocaleString()}
            <span class="unread-word"> unread</span>
          </span>
        ) : (
          <span class="muted">–</span>
        )}
      </td>
      <td class="number muted">
        <div class="last-cell">
          {lastActivityAt === undefined ? '–' : <Ago time={lastActivityAt} />}
          <AgentMenu agent={agent} />
        </div>
      </td>
    </tr>
  );
});

const NoAgents = () => (
  <section class="card empty" aria-labelledby="no-agents">
    <h2 id="no-agents">Connect your first agent</h2>
    <p>Run an agent’s command line through the relay, in the directory of your project:</p>
    <CommandLine>{runCommand('Alice', 'claude')}</CommandLine>
    <p>Or add the relay to the MCP clients you have:</p>
    <CommandLine>agent-relay mcp install</CommandLine>
    <p class="muted">It appears here as soon as it connects.</p>
  </section>
);
