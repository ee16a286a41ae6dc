import type { AgentInfo } from '@agent-relay/sdk';
import { useSignal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import { welcome } from '../connection/connection.ts';
import { agents } from '../model/project.ts';
import { Icon } from '../parts/icon.tsx';
import { linkTo } from '../routes.ts';
import { hasTerminal } from './live-terminals.ts';
import { TerminalList } from './terminal-list.tsx';

/** The terminal of one agent, or, without a name, what terminals there are. */
export const TerminalPage = ({ name }: { name: string }) =>
  name === '' ? <TerminalList /> : <OneTerminal key={name} name={name} />;

type View = FunctionComponent<{ name: string }>;
let loaded: View | undefined;

function OneTerminal({ name }: { name: string }) {
  const agent = agents.value.get(name);
  const run = agent && hasTerminal(agent) ? agent.run?.startedAt : undefined;
  // What a program showed last stays until another one runs.
  const shown = useSignal(run);
  const view = useSignal<{ Shown: View } | undefined>(loaded && { Shown: loaded });
  const failure = useSignal('');
  if (run !== undefined && run !== shown.peek()) shown.value = run;
  useEffect(() => {
    // The emulator is as large as the rest of the page: only those who open a terminal load it.
    import('./terminal-view.tsx').then(
      ({ TerminalView }) => {
        loaded = TerminalView;
        view.value = { Shown: TerminalView };
      },
      (error: Error) => {
        failure.value = error.message;
      },
    );
  }, []);
  if (shown.value === undefined) return <NoTerminal name={name} agent={agent} />;
  const Shown = view.value?.Shown;
  if (Shown) return <Shown key={`${name} ${shown.value}`} name={name} />;
  return (
    <p class="loading muted" role="status">
      {failure.value === '' ? 'Loading the terminal…' : `The terminal could not be loaded. ${failure.value}`}
    </p>
  );
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
      <p class="card empty">
        {agent
          ? `${name} has no program running in a terminal of the relay. It opens here as soon as it has.`
          : `No agent is called ${name} here. It may have been renamed or removed.`}
      </p>
    </div>
  );
}
