import type { AgentInfo } from '@agent-relay/sdk';
import type { ComponentChildren } from 'preact';
import { welcome } from '../connection/connection.ts';
import { runsAs } from '../model/agents.ts';
import { agents, recent } from '../model/project.ts';
import { Avatar } from '../parts/avatar.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { Icon } from '../parts/icon.tsx';
import { Ago } from '../parts/time.tsx';
import { linkTo } from '../routes.ts';
import { hasTerminal } from '../terminals/live-terminals.ts';
import { releaseAgent } from './agent-menu.tsx';
import { STATE_WORDS, stateOf } from './agent-state.ts';
import { MessageRate } from './message-rate.tsx';
import { PathState } from './path-state.tsx';
import { UnknownAgent } from './unknown-agent.tsx';
import { AgentWaiting } from './waiting/agent-waiting.tsx';

const SHOWN = 20;

/** The page of one agent. */
export function AgentPage({ name }: { name: string }) {
  const agent = agents.value.get(name);
  const project = welcome.value?.project ?? '';
  if (!agent)
    return (
      <div class="place narrow">
        <UnknownAgent name={name} />
      </div>
    );
  return (
    <div class="place narrow">
      <header class="place-head agent-head">
        <a class="back" href={linkTo(project)} aria-label="Back to the overview">
          <Icon name="back" />
        </a>
        <Avatar name={name} status={stateOf(agent)} />
        <h1>{name}</h1>
        {agent.lead && <span class="tag">Lead</span>}
        <span class={stateOf(agent) === 'needs-you' ? 'tag is-warn' : 'muted'}>
          {STATE_WORDS[stateOf(agent)]}
        </span>
        {agent.type === 'agent' && (
          <a class="button push-right" href={linkTo(project, 'direct', name)}>
            <Icon name="dialog" /> Message
          </a>
        )}
        {hasTerminal(agent) && (
          <>
            <a class="button" href={linkTo(project, 'terminal', name)}>
              <Icon name="terminal" /> Terminal
            </a>
            <Release name={name} />
          </>
        )}
      </header>
      <AgentWaiting name={name} place="page" />
      <section class="card" aria-label="Facts">
        <dl class="facts">
          <Facts agent={agent} />
        </dl>
      </section>
      <section class="card" aria-labelledby="rate">
        <h2 id="rate" class="card-head">
          Messages sent
        </h2>
        <MessageRate sender={name} label={`Messages of ${name}`} />
      </section>
      <RecentOf name={name} />
    </div>
  );
}

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

function Facts({ agent }: { agent: AgentInfo }) {
  const { handle, run, task, parent, capabilities, unread = 0, connectedAt, lastActivityAt } = agent;
  return (
    <>
      {task !== undefined && <Fact name="Task">{task}</Fact>}
      <Fact name="Runs as">{runsAs(agent).join(' · ')}</Fact>
      {run && <Run run={run} />}
      {handle !== undefined && <Fact name="Handle">@{handle}</Fact>}
      {parent !== undefined && <Fact name="Hired by">{parent}</Fact>}
      <Fact name="Delivery">
        <PathState agent={agent} />
      </Fact>
      <Fact name="Unread">{unread.toLocaleString()}</Fact>
      {connectedAt !== undefined && (
        <Fact name="Connected">
          <Ago time={connectedAt} />
        </Fact>
      )}
      {lastActivityAt !== undefined && (
        <Fact name="Last activity">
          <Ago time={lastActivityAt} />
        </Fact>
      )}
      {capabilities.length > 0 && (
        <Fact name="Says it can do">
          {capabilities.map((capability) => (
            <span key={capability} class="tag">
              {capability}
            </span>
          ))}
        </Fact>
      )}
    </>
  );
}

const RUN_STATES = { starting: 'Starting', ready: 'Running', waiting: 'Running', exited: 'Ended' };

/** The agent's program in a terminal. */
const Run = ({ run: { state, cwd, exit, ended } }: { run: NonNullable<AgentInfo['run']> }) => (
  <Fact name="Program">
    {RUN_STATES[state]}
    {exit && ` with ${exit.signal ?? `exit code ${exit.code}`}`}
    {ended && `: ${ended}`}
    <span class="muted">
      {' '}
      · <code>{cwd}</code>
    </span>
  </Fact>
);

/** Ends its program, after a confirmation. */
function Release({ name }: { name: string }) {
  const release = async () => {
    await releaseAgent(name);
    location.hash = linkTo(welcome.value?.project ?? '');
  };
  return (
    <ConfirmButton question="End its program?" onPress={release}>
      Release
    </ConfirmButton>
  );
}

/** Its latest messages. */
function RecentOf({ name }: { name: string }) {
  const messages = recent.value
    .filter(({ from, to, group }) => from === name || to === name || group?.includes(name))
    .slice(-SHOWN)
    .reverse();
  return (
    <section class="card" aria-labelledby="recent">
      <h2 id="recent" class="card-head">
        Recent messages
      </h2>
      {messages.length === 0 && (
        <p class="muted">
          None yet. Messages it sends and receives appear here.{' '}
          <a class="link" href={linkTo(welcome.value?.project ?? '', 'direct', name)}>
            Write to {name}
          </a>
        </p>
      )}
      <ul class="rows">
        {messages.map(({ id, from, to, content, ts, redacted }) => (
          <li key={id} class="row" data-row>
            <div class="row-main">
              <p>
                <a class="name" href={linkTo(welcome.value?.project ?? '', 'message', id)}>
                  <strong>{from}</strong> → {to}
                </a>
                <span class="muted">
                  {' '}
                  · <Ago time={ts} />
                </span>
              </p>
              <p class="clip">{redacted ? <em>Redacted</em> : content}</p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
