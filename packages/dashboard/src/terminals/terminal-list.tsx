import type { AgentInfo } from '@agent-relay/sdk';
import { welcome } from '../connection/connection.ts';
import { runsAs } from '../model/agents.ts';
import { AgentMenu } from '../overview/agent-menu.tsx';
import { STATE_WORDS, stateOf } from '../overview/agent-state.ts';
import { Avatar } from '../parts/avatar.tsx';
import { CommandLine, runCommand } from '../parts/command.tsx';
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

function Row({ agent }: { agent: AgentInfo }) {
  const { name, run, task } = agent;
  if (!run) return null;
  const state = stateOf(agent);
  return (
    <li class="terminal-row" data-row>
      <a class="agent" href={linkTo(welcome.value?.project ?? '', 'terminal', name)}>
        <Avatar name={name} status={state} />
        <span class="agent-text">
          <span class="agent-name">
            {name}
            {state === 'needs-you' && <span class="tag is-warn">{STATE_WORDS[state]}</span>}
            {state !== 'needs-you' && run.state === 'starting' && <span class="tag">Starting</span>}
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
    <CommandLine>{runCommand('Alice', 'claude')}</CommandLine>
  </section>
);
