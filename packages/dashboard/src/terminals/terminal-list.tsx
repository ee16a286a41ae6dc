import type { AgentInfo } from '@agent-relay/sdk';
import { welcome } from '../connection/connection.ts';
import { runsAs } from '../model/agents.ts';
import { AgentMenu } from '../overview/agent-menu.tsx';
import { Avatar } from '../parts/avatar.tsx';
import { CommandLine } from '../parts/command.tsx';
import { Ago } from '../parts/time.tsx';
import { linkTo } from '../routes.ts';
import { liveTerminals } from './live-terminals.ts';
import { ReleaseAll } from './release-all.tsx';

/** All agents with a live terminal. */
export const TerminalList = () => (
  <div class="place narrow">
    <header class="place-head">
      <h1>Terminals</h1>
      <ReleaseAll />
    </header>
    {liveTerminals.value.length === 0 ? (
      <NoTerminals />
    ) : (
      <ul class="card flush terminal-list">
        {liveTerminals.value.map((agent) => (
          <Row key={agent.name} agent={agent} />
        ))}
      </ul>
    )}
  </div>
);

const STATES = { starting: 'Starting', ready: 'Running', waiting: 'Waits for you', exited: 'Ended' };

function Row({ agent }: { agent: AgentInfo }) {
  const { name, run, status, task } = agent;
  if (!run) return null;
  return (
    <li class="terminal-row" data-row>
      <a class="agent" href={linkTo(welcome.value?.project ?? '', 'terminal', name)}>
        <Avatar name={name} status={status} />
        <span class="agent-text">
          <span class="agent-name">
            {name}
            {run.state !== 'ready' && (
              <span class={run.state === 'waiting' ? 'tag is-warn' : 'tag'}>{STATES[run.state]}</span>
            )}
          </span>
          <span class="muted agent-kind">{[...runsAs(agent), ...(task ? [task] : [])].join(' · ')}</span>
        </span>
        <span class="push-right muted small">
          <Ago time={run.startedAt} />
        </span>
      </a>
      <AgentMenu agent={agent} />
    </li>
  );
}

const NoTerminals = () => (
  <section class="card empty">
    <h2>No agent runs in a terminal of the relay</h2>
    <p>Start one from the overview, or in a terminal of your own:</p>
    <CommandLine>agent-relay run --name Alice claude</CommandLine>
  </section>
);
