import { welcome } from '../connection/connection.ts';
import { unreadCount } from '../model/project.ts';
import { waitingCount } from '../overview/waiting/waiting-list.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { linkTo, type Place, route } from '../routes.ts';
import { Count } from './sidebar.tsx';

const TABS: Array<{ place: Place; icon: IconName; text: string; places: Place[] }> = [
  { place: 'overview', icon: 'overview', text: 'Overview', places: ['overview', 'agent'] },
  {
    place: 'messages',
    icon: 'dialog',
    text: 'Messages',
    places: ['messages', 'activity', 'channel', 'direct', 'between'],
  },
  { place: 'terminal', icon: 'terminal', text: 'Terminals', places: ['terminal'] },
  { place: 'tools', icon: 'plug', text: 'Tools', places: ['tools', 'invocations', 'servers'] },
  { place: 'search', icon: 'search', text: 'Search', places: ['search'] },
];

/** The navigation on phones. */
export const TabBar = () => (
  <nav class="tab-bar" aria-label="Sections">
    {TABS.map(({ place, icon, text, places }) => (
      <a
        key={place}
        href={linkTo(welcome.value?.project ?? '', place)}
        aria-current={places.includes(route.value.place) ? 'page' : undefined}
      >
        <Icon name={icon} size={20} />
        {text}
        {place === 'messages' && unreadCount.value > 0 && <Count count={unreadCount.value} what="unread" />}
        {place === 'overview' && waitingCount.value > 0 && (
          <Count count={waitingCount.value} what="waiting" />
        )}
      </a>
    ))}
  </nav>
);
