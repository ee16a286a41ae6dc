import { useEffect } from 'preact/hooks';
import { phase, welcome } from '../connection/connection.ts';
import { failure, loaded } from '../model/project.ts';
import { Overview } from '../overview/overview.tsx';
import { waitingCount } from '../overview/waiting/waiting-list.ts';
import { Palette } from '../palette/palette.tsx';
import { Shortcuts } from '../palette/shortcuts.tsx';
import { onDemand } from '../parts/on-demand.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { route } from '../routes.ts';
import { Away } from './away.tsx';
import { Announcements } from './news.tsx';
import { Sidebar } from './sidebar.tsx';
import { TabBar } from './tab-bar.tsx';
import { TopBar } from './top-bar.tsx';

const Loading = () => (
  <div class="loading" aria-busy="true">
    <span class="sr-only">Loading</span>
    <div class="bone wide" />
    <div class="bone" />
    <div class="bone" />
    <div class="bone" />
  </div>
);

/** Half of the page: the first screen does not wait for it. */
const Others = onDemand(async () => (await import('./other-places.tsx')).OtherPlaces, <Loading />);

/** The frame of the page. */
export function Shell() {
  const project = welcome.value?.project;
  const waits = waitingCount.value;
  useEffect(() => {
    document.title = `${waits > 0 ? `(${waits}) ` : ''}${project ? `${project} · ` : ''}Agent Relay`;
  }, [project, waits]);
  useEffect(() => {
    if (loaded.value) Others.load();
  }, [loaded.value]);
  return (
    <div class={`shell at-${route.value.place}`}>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to content
      </button>
      <Sidebar />
      <div class="stage">
        <TopBar />
        <Away />
        {failure.value && phase.value === 'live' && (
          <div class="banner is-error" role="alert">
            <Trouble
              problem={{
                ...failure.value,
                message: `Some data may be out of date: ${failure.value.message}`,
              }}
            />
          </div>
        )}
        <main id="main" tabIndex={-1}>
          {loaded.value ? <Shown /> : <Loading />}
        </main>
      </div>
      <TabBar />
      <Announcements />
      <Palette />
      <Shortcuts />
    </div>
  );
}

const Shown = () => (route.value.place === 'overview' ? <Overview /> : <Others.Part />);
