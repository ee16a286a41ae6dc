import { phase, welcome } from '../connection/connection.ts';
import { byLiveliness } from '../model/agents.ts';
import { agents, projects } from '../model/project.ts';
import { waitingCount } from '../overview/waiting-list.ts';
import { Avatar } from '../parts/avatar.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { linkTo, type Place, route } from '../routes.ts';
import { Mark } from './mark.tsx';

const SHOWN_AGENTS = 14;

/** Where one can go. */
export function Sidebar() {
  const project = welcome.value?.project ?? '';
  return (
    <nav class="sidebar" aria-label="Dashboard">
      <div class="sidebar-head">
        <Mark />
        <ProjectChoice project={project} />
      </div>
      <ul class="nav">
        <NavItem place="overview" icon="overview" count={waitingCount.value}>
          Overview
        </NavItem>
      </ul>
      <Agents project={project} />
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

function ProjectChoice({ project }: { project: string }) {
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
  subject = '',
  icon,
  count = 0,
  children,
}: {
  place: Place;
  subject?: string;
  icon: IconName;
  count?: number;
  children: string;
}) {
  const isHere = route.value.place === place && route.value.subject === subject;
  return (
    <li>
      <a
        class="nav-item"
        href={linkTo(welcome.value?.project ?? '', place, subject)}
        aria-current={isHere ? 'page' : undefined}
      >
        <Icon name={icon} />
        <span class="nav-text">{children}</span>
        {count > 0 && <Count count={count} what="waiting" />}
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

function Agents({ project }: { project: string }) {
  const known = [...agents.value.values()].filter(({ type }) => type === 'agent').sort(byLiveliness);
  if (known.length === 0) return <div class="nav-space" />;
  return (
    <section class="nav-section nav-space" aria-labelledby="nav-agents">
      <h2 id="nav-agents">Agents</h2>
      <ul class="nav">
        {known.slice(0, SHOWN_AGENTS).map(({ name, status, unread = 0 }) => (
          <li key={name}>
            <a
              class="nav-item"
              href={linkTo(project, 'agent', name)}
              aria-current={
                route.value.place === 'agent' && route.value.subject === name ? 'page' : undefined
              }
            >
              <Avatar name={name} status={status} />
              <span class="nav-text">{name}</span>
              <span class="sr-only">{status}</span>
              {unread > 0 && (
                <span class="nav-unread" title={`${unread} unread`}>
                  {unread}
                </span>
              )}
            </a>
          </li>
        ))}
        {known.length > SHOWN_AGENTS && (
          <li class="nav-more muted">{known.length - SHOWN_AGENTS} more on the overview</li>
        )}
      </ul>
    </section>
  );
}

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
