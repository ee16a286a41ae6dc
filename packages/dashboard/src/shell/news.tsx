import { computed, effect, signal } from '@preact/signals';
import { welcome } from '../connection/connection.ts';
import { loaded } from '../model/project.ts';
import type { WaitingItem } from '../overview/waiting/waiting-item.ts';
import { waitingItems } from '../overview/waiting/waiting-list.ts';

/** The latest item that began to wait for the person while the page was open. */
export const news = signal<readonly WaitingItem[]>([]);

/** Known when the project was opened: not news. */
let known: { project: string | undefined; ids: ReadonlySet<string> } | undefined;

effect(() => {
  const items = waitingItems.value;
  // While the project is reloading, nothing seems to wait.
  if (!loaded.value) return;
  const project = welcome.peek()?.project;
  const before = known?.project === project ? known?.ids : undefined;
  known = { project, ids: new Set(items.map(({ id }) => id)) };
  const fresh = before ? items.filter(({ id }) => !before.has(id)) : [];
  if (fresh.length > 0) news.value = fresh;
});

const unsettled = computed(() => {
  const ids = new Set(waitingItems.value.map(({ id }) => id));
  return news.value.filter(({ id }) => ids.has(id));
});

const MOST_SPOKEN = 200;

/** Tells screen readers what began to wait. */
export const Announcements = () => (
  <div class="sr-only" role="status" aria-label="News">
    {unsettled.value.map(({ id, title, text }) => (
      <p key={id}>
        {title}: {text.slice(0, MOST_SPOKEN)}
      </p>
    ))}
  </div>
);
