import { Shown } from './items/shown-item.tsx';
import { waitingOf } from './waiting-list.ts';

/** What waits for the person because of one agent: on its page, and above its terminal, which shows dialogs itself. */
export function AgentWaiting({ name, place }: { name: string; place: 'page' | 'terminal' }) {
  const items = (waitingOf.value.get(name) ?? []).filter(
    ({ kind }) => place === 'page' || kind !== 'stopped',
  );
  if (items.length === 0) return null;
  return (
    <section class={`waiting of-agent at-${place}`} aria-label={`Waiting for you: ${name}`}>
      <ul class="waiting-list">
        {items.map((item) => (
          <Shown key={item.id} item={item} />
        ))}
      </ul>
    </section>
  );
}
