import { welcome } from '../connection/connection.ts';
import { ConversationLists, unreadAt } from '../conversations/conversation-lists.tsx';
import { ConversationView } from '../conversations/conversation-view.tsx';
import { MessageAt } from '../conversations/message/message-at.tsx';
import { conversationAt } from '../conversations/place.ts';
import { Search } from '../conversations/search.tsx';
import { AgentPage } from '../overview/agent-page.tsx';
import { Overview } from '../overview/overview.tsx';
import { Icon } from '../parts/icon.tsx';
import { linkTo, route } from '../routes.ts';
import { ServersPage } from '../servers/servers-page.tsx';
import { TerminalPage } from '../terminals/terminal-page.tsx';
import { InvocationsPage } from '../tools/invocations-page.tsx';
import { ToolsPage } from '../tools/tools-page.tsx';
import { Settings } from './settings.tsx';
import { Count } from './sidebar.tsx';

/** Every place but the overview. */
export function OtherPlaces() {
  const { place, subject, message } = route.value;
  switch (place) {
    case 'agent':
      return <AgentPage name={subject} />;
    case 'terminal':
      return <TerminalPage name={subject} />;
    case 'settings':
      return <Settings />;
    case 'tools':
      return <ToolsPage />;
    case 'invocations':
      return <InvocationsPage />;
    case 'servers':
      return <ServersPage />;
    case 'message':
      return <MessageAt id={subject} />;
    case 'search':
      return <Search />;
    case 'messages':
      return <AllConversations />;
    default: {
      const conversation = conversationAt(route.value);
      return conversation ? <ConversationView conversation={conversation} target={message} /> : <Overview />;
    }
  }
}

/** On phones, what is otherwise in the sidebar. */
const AllConversations = () => (
  <div class="place narrow">
    <header class="place-head">
      <h1>Messages</h1>
    </header>
    <a class="nav-item" href={linkTo(welcome.value?.project ?? '', 'activity')}>
      <Icon name="threads" />
      <span class="nav-text">All messages</span>
      {unreadAt('activity') > 0 && <Count count={unreadAt('activity')} what="unread" />}
    </a>
    <ConversationLists />
  </div>
);
