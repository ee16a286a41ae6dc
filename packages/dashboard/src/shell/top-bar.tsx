import { welcome } from '../connection/connection.ts';
import { isPaletteOpen } from '../palette/palette.tsx';
import { Icon } from '../parts/icon.tsx';
import { linkTo, type Place, route } from '../routes.ts';
import { Mark } from './mark.tsx';
import { ProjectChoice } from './sidebar.tsx';

/** These have their own header with a back button. */
const WITHOUT: ReadonlySet<Place> = new Set(['activity', 'channel', 'direct', 'between']);

/** On phones, what is otherwise at the top and the foot of the sidebar. */
export function TopBar() {
  const { place, subject } = route.value;
  if (WITHOUT.has(place) || (place === 'terminal' && subject !== '')) return null;
  const project = welcome.value?.project ?? '';
  return (
    <header class="top-bar">
      <Mark />
      <ProjectChoice project={project} />
      <button
        type="button"
        class="quiet push-right"
        aria-label="Go to…"
        onClick={() => {
          isPaletteOpen.value = true;
        }}
      >
        <Icon name="search" size={20} />
      </button>
      <a
        class="button quiet"
        href={linkTo(project, 'settings')}
        aria-label="Settings"
        aria-current={place === 'settings' ? 'page' : undefined}
      >
        <Icon name="settings" size={20} />
      </a>
    </header>
  );
}
