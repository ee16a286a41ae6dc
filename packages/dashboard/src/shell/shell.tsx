import { useEffect } from 'preact/hooks';
import { phase, welcome } from '../connection/connection.ts';
import { ConversationLists } from '../conversations/conversation-lists.tsx';
import { ConversationView } from '../conversations/conversation-view.tsx';
import { MessageAt } from '../conversations/message-at.tsx';
import { conversationAt } from '../conversations/place.ts';
import { Search } from '../conversations/search.tsx';
import { failure, loaded } from '../model/project.ts';
import { AgentPage } from '../overview/agent-page.tsx';
import { Overview } from '../overview/overview.tsx';
import { waitingCount } from '../overview/waiting-list.ts';
import { Palette } from '../palette/palette.tsx';
import { Shortcuts } from '../palette/shortcuts.tsx';
import { Icon } from '../parts/icon.tsx';
import { linkTo, route } from '../routes.ts';
import { ServersPage } from '../servers/servers-page.tsx';
import { TerminalPage } from '../terminals/terminal-page.tsx';
import { InvocationsPage } from '../tools/invocations-page.tsx';
import { ToolsPage } from '../tools/tools-page.tsx';
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
      <Palette />
      <Shortcuts />
    </div>
  );
}

function Shown() {
  switch (route.value.place) {
    case 'agent':
      return <AgentPage name={route.value.subject} />;
    case 'terminal':
      return <TerminalPage name={route.value.subject} />;
    case 'settings':
      return <Settings />;
    case 'tools':
      return <ToolsPage />;
    case 'invocations':
      return <InvocationsPage />;
    case 'servers':
      return <ServersPage />;
    case 'message':
      return <MessageAt id={route.value.subject} />;
    case 'search':
      return <Search />;
    case 'messages':
      return <AllConversations />;
    default: {
      const conversation = conversationAt(route.value);
      return conversation ? (
        <ConversationView conversation={conversation} target={route.value.message} />
      ) : (
        <Overview />
      );
    }
  }
}

/** On a phone, what the sidebar has elsewhere. */
const AllConversations = () => (
  <div class="place narrow">
    <header class="place-head">
      <h1>Messages</h1>
    </header>
    <a class="nav-item" href={linkTo(welcome.value?.project ?? '', 'activity')}>
      <Icon name="threads" />
      All messages
    </a>
    <ConversationLists />
  </div>
);

const Loading = () => (
  <div class="loading" aria-busy="true">
    <span class="sr-only">Loading</span>
    <div class="bone wide" />
    <div class="bone" />
    <div class="bone" />
    <div class="bone" />
  </div>
);
