import { phase, welcome } from '../connection/connection.ts';
import { ConversationLists, unreadAt } from '../conversations/conversation-lists.tsx';
import { projects } from '../model/project.ts';
import { waitingCount } from '../overview/waiting/waiting-list.ts';
import { isPaletteOpen } from '../palette/palette.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { linkTo, type Place, route } from '../routes.ts';
import { Mark } from './mark.tsx';

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The navigation. */
export function Sidebar() {
  const project = welcome.value?.project ?? '';
  return (
    <nav class="sidebar" aria-label="Dashboard">
      <div class="sidebar-head">
        <Mark />
        <ProjectChoice project={project} />
      </div>
      <button
        type="button"
        class="open-palette"
        onClick={() => {
          isPaletteOpen.value = true;
        }}
      >
        <Icon name="search" /> Go to… <kbd>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <ul class="nav">
        <NavItem place="overview" icon="overview" count={waitingCount.value}>
          Overview
        </NavItem>
        <NavItem place="activity" icon="threads" count={unreadAt('activity')} what="unread">
          All messages
        </NavItem>
        <NavItem place="terminal" icon="terminal">
          Terminals
        </NavItem>
        <NavItem place="tools" icon="plug" also={['invocations', 'servers']}>
          Tools
        </NavItem>
        <NavItem place="search" icon="search">
          Search
        </NavItem>
      </ul>
      <div class="nav-space">
        <ConversationLists />
      </div>
      <div class="sidebar-foot">
        <ul class="nav">
          <NavItem place="settings" icon="settings">
            Settings
          </NavItem>
        </ul>
        <Presence />
      </div>
    </nav>
  );
}

/** Switches between the projects of the daemon. */
export function ProjectChoice({ project }: { project: string }) {
  if (projects.value.length < 2) return <strong class="project">{project || 'Agent Relay'}</strong>;
  return (
    <select
      class="project"
      aria-label="Project"
      value={project}
      onChange={({ currentTarget }) => {
        location.hash = linkTo(currentTarget.value);
      }}
    >
      {projects.value.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

function NavItem({
  place,
  icon,
  count = 0,
  what = 'waiting',
  also = [],
  children,
}: {
  place: Place;
  icon: IconName;
  count?: number;
  /** What is counted. */
  what?: string;
  /** Places for which it is highlighted. */
  also?: Place[];
  children: string;
}) {
  const isHere = [place, ...also].includes(route.value.place);
  return (
    <li>
      <a
        class="nav-item"
        href={linkTo(welcome.value?.project ?? '', place)}
        aria-current={isHere ? 'page' : undefined}
      >
        <Icon name={icon} />
        <span class="nav-text">{children}</span>
        {count > 0 && <Count count={count} what={what} />}
      </a>
    </li>
  );
}

export const Count = ({ count, what }: { count: number; what: string }) => (
  <span class="count">
    {count > 99 ? '99+' : count}
    <span class="sr-only"> {what}</span>
  </span>
);

const WORDS = {
  live: 'Connected',
  connecting: 'Connecting…',
  away: 'Daemon away',
  'signed-out': 'Signed out',
};

const Presence = () => (
  <p class="presence">
    <span class={`dot is-${phase.value}`} />
    <span class="presence-name">{welcome.value?.agent?.name}</span>
    <span class="muted">{WORDS[phase.value]}</span>
  </p>
);
