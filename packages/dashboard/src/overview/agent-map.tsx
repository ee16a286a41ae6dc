import { useSignal } from '@preact/signals';
import { memo } from 'preact/compat';
import { useEffect } from 'preact/hooks';
import { welcome } from '../connection/connection.ts';
import { linkTo } from '../routes.ts';
import { chosen } from './agent-filter.ts';
import { type AgentState, STATE_WORDS, stateOf } from './agent-state.ts';

/** Drawn per task; the page handles input in between. */
const DRAWN_AT_ONCE = 50;

/** All agents as squares: hundreds fit where a table shows a dozen. */
export function AgentMap() {
  const project = welcome.value?.project ?? '';
  const drawn = useSignal(DRAWN_AT_ONCE);
  const isAll = drawn.value >= chosen.value.length;
  useEffect(() => {
    if (isAll) return;
    const timer = setTimeout(() => {
      drawn.value += DRAWN_AT_ONCE;
    });
    return () => clearTimeout(timer);
  }, [drawn.value, isAll]);
  return (
    <ul class="agent-map" aria-label="All agents at a glance">
      {chosen.value.slice(0, drawn.value).map((agent) => (
        <Square key={agent.name} name={agent.name} state={stateOf(agent)} project={project} />
      ))}
    </ul>
  );
}

const Square = memo(({ name, state, project }: { name: string; state: AgentState; project: string }) => (
  <li>
    <a
      class={`square is-${state}`}
      href={linkTo(project, 'agent', name)}
      title={`${name}: ${STATE_WORDS[state].toLowerCase()}`}
      tabIndex={-1}
    >
      <span class="sr-only">
        {name}: {STATE_WORDS[state].toLowerCase()}
      </span>
    </a>
  </li>
));
