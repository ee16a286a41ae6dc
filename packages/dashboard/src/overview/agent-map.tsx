import { useSignal } from '@preact/signals';
import { memo } from 'preact/compat';
import { useEffect } from 'preact/hooks';
import { welcome } from '../connection/connection.ts';
import { linkTo } from '../routes.ts';
import { chosen, isWaiting } from './agent-filter.ts';

const WORDS = { active: 'working', idle: 'idle', offline: 'offline', waiting: 'waits for you' };
type Tone = keyof typeof WORDS;
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
      {chosen.value.slice(0, drawn.value).map(({ name, status }) => (
        <Square key={name} name={name} tone={isWaiting(name) ? 'waiting' : status} project={project} />
      ))}
    </ul>
  );
}

const Square = memo(({ name, tone, project }: { name: string; tone: Tone; project: string }) => (
  <li>
    <a
      class={`square is-${tone}`}
      href={linkTo(project, 'agent', name)}
      title={`${name}: ${WORDS[tone]}`}
      tabIndex={-1}
    >
      <span class="sr-only">
        {name}: {WORDS[tone]}
      </span>
    </a>
  </li>
));
