import type { AgentInfo } from '@agent-relay/sdk';
import { computed, useSignal } from '@preact/signals';
import { memo } from 'preact/compat';
import { welcome } from '../connection/connection.ts';
import { byLiveliness, runsAs } from '../model/agents.ts';
import { agents } from '../model/project.ts';
import { Avatar } from '../parts/avatar.tsx';
import { CommandLine } from '../parts/command.tsx';
import { Icon } from '../parts/icon.tsx';
import { Ago } from '../parts/time.tsx';
import { linkTo } from '../routes.ts';
import { hasTerminal } from '../terminals/live-terminals.ts';
import { PathState } from './path-state.tsx';

const SHOWN_AT_FIRST = 60;
const WORDS = { active: 'Working', idle: 'Idle', offline: 'Offline' };

/** People last: the page is about the agents. */
const sorted = computed(() =>
  [...agents.value.values()].sort(
    (one, other) => Number(one.type === 'human') - Number(other.type === 'human') || byLiveliness(one, other),
  ),
);

/** Everybody in the project, those who are away too. */
export function AgentTable() {
  const all = useSignal(false);
  const known = sorted.value;
  if (!known.some(({ type }) => type === 'agent')) return <NoAgents />;
  const shown = all.value ? known : known.slice(0, SHOWN_AT_FIRST);
  return (
    <section class="card flush" aria-labelledby="agents">
      <h2 id="agents" class="card-head">
        Agents
      </h2>
      <div class="table-frame">
        <table class="agents">
          <thead>
            <tr>
              <th scope="col">Agent</th>
              <th scope="col">Task</th>
              <th scope="col">Delivery</th>
              <th scope="col" class="number">
                Unread
              </th>
              <th scope="col" class="number">
                Last activity
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((agent) => (
              <AgentRow key={agent.name} agent={agent} />
            ))}
          </tbody>
        </table>
      </div>
      {known.length > shown.length && (
        <button
          type="button"
          class="more"
          onClick={() => {
            all.value = true;
          }}
        >
          Show all {known.length.toLocaleString()}
        </button>
      )}
    </section>
  );
}

const AgentRow = memo(({ agent }: { agent: AgentInfo }) => {
  const { name, handle, status, lead, task, parent, unread = 0, lastActivityAt } = agent;
  return (
    <tr class={`is-${status}`}>
      <th scope="row">
        <a class="agent" href={linkTo(welcome.value?.project ?? '', 'agent', name)}>
          <Avatar name={name} status={status} />
          <span class="agent-text">
            <span class="agent-name">
              {name}
              {lead && <span class="tag">Lead</span>}
              {name === welcome.value?.agent?.name && <span class="tag">You</span>}
            </span>
            <span class="muted agent-kind">
              {[WORDS[status], ...runsAs(agent)].join(' · ')}
              {handle && ` · @${handle}`}
              {parent && ` · by ${parent}`}
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
        {unread > 0 ? <span class="unread">{unread.toLocaleString()}</span> : <span class="muted">–</span>}
      </td>
      <td class="number muted">{lastActivityAt === undefined ? '–' : <Ago time={lastActivityAt} />}</td>
    </tr>
  );
});

const NoAgents = () => (
  <section class="card empty" aria-labelledby="no-agents">
    <h2 id="no-agents">Connect your first agent</h2>
    <p>Run an agent’s command line through the relay, in the directory of your project:</p>
    <CommandLine>agent-relay run --name Alice claude</CommandLine>
    <p>Or add the relay to the MCP clients you have:</p>
    <CommandLine>agent-relay mcp install</CommandLine>
    <p class="muted">It appears here as soon as it connects.</p>
  </section>
);
