import type { AgentInfo } from '@agent-relay/sdk';
import { useSignal } from '@preact/signals';
import { welcome } from '../connection/connection.ts';
import { agents } from '../model/project.ts';
import { UnknownAgent } from '../overview/unknown-agent.tsx';
import { CommandLine, runCommand } from '../parts/command.tsx';
import { Icon } from '../parts/icon.tsx';
import { onDemand } from '../parts/on-demand.tsx';
import { linkTo } from '../routes.ts';
import { hasTerminal } from './live-terminals.ts';
import { TerminalList } from './terminal-list.tsx';

/** The terminal of one agent, or without a name the list of terminals. */
export const TerminalPage = ({ name }: { name: string }) =>
  name === '' ? <TerminalList /> : <OneTerminal key={name} name={name} />;

// The emulator is as large as the rest of the page.
const Terminal = onDemand(
  async () => (await import('./terminal-view.tsx')).TerminalView,
  <p class="loading muted" role="status">
    Loading the terminal…
  </p>,
);

function OneTerminal({ name }: { name: string }) {
  const agent = agents.value.get(name);
  const run = agent && hasTerminal(agent) ? agent.run?.startedAt : undefined;
  // The last screen stays until another program runs.
  const shown = useSignal(run);
  if (run !== undefined && run !== shown.peek()) shown.value = run;
  if (shown.value === undefined) return <NoTerminal name={name} agent={agent} />;
  return <Terminal.Part key={`${name} ${shown.value}`} name={name} />;
}

function NoTerminal({ name, agent }: { name: string; agent: AgentInfo | undefined }) {
  const project = welcome.value?.project ?? '';
  return (
    <div class="place narrow">
      <header class="place-head">
        <a class="back" href={linkTo(project, 'terminal')} aria-label="All terminals">
          <Icon name="back" />
        </a>
        <h1>{name}</h1>
      </header>
      {agent ? (
        <section class="card empty">
          <h2>{name} does not run in a terminal of the relay</h2>
          <p>Run it through the relay, and its terminal opens here:</p>
          <CommandLine>{runCommand(name, agent.cli ?? '')}</CommandLine>
        </section>
      ) : (
        <UnknownAgent name={name} />
      )}
    </div>
  );
}
