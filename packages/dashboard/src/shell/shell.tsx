import { useEffect } from 'preact/hooks';
import { phase, welcome } from '../connection/connection.ts';
import { failure, loaded } from '../model/project.ts';
import { AgentPage } from '../overview/agent-page.tsx';
import { Overview } from '../overview/overview.tsx';
import { waitingCount } from '../overview/waiting-list.ts';
import { route } from '../routes.ts';
import { Away } from './away.tsx';
import { Settings } from './settings.tsx';
import { Sidebar } from './sidebar.tsx';
import { TabBar } from './tab-bar.tsx';

/** The page around what is shown. */
export function Shell() {
  const project = welcome.value?.project;
  const waits = waitingCount.value;
  useEffect(() => {
    document.title = `${waits > 0 ? `(${waits}) ` : ''}${project ? `${project} · ` : ''}Agent Relay`;
  }, [project, waits]);
  return (
    <div class={`shell at-${route.value.place}`}>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to content
      </button>
      <Sidebar />
      <div class="stage">
        <Away />
        {failure.value && phase.value === 'live' && (
          <p class="banner is-error" role="alert">
            Some of what is shown may be old: {failure.value}
          </p>
        )}
        <main id="main" tabIndex={-1}>
          {loaded.value ? <Shown /> : <Loading />}
        </main>
      </div>
      <TabBar />
    </div>
  );
}

function Shown() {
  switch (route.value.place) {
    case 'agent':
      return <AgentPage name={route.value.subject} />;
    case 'settings':
      return <Settings />;
    default:
      return <Overview />;
  }
}

const Loading = () => (
  <div class="loading" aria-busy="true">
    <span class="sr-only">Loading</span>
    <div class="bone wide" />
    <div class="bone" />
    <div class="bone" />
    <div class="bone" />
  </div>
);
