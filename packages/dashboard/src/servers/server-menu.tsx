import { relayNow, welcome } from '../connection/connection.ts';
import { Menu, type MenuAction } from '../parts/menu.tsx';
import { tell } from '../parts/notices.tsx';
import { linkTo } from '../routes.ts';
import { HEALTH_WORDS } from './health-words.ts';

export async function reconnectServer(name: string): Promise<void> {
  const { health } = await relayNow().servers.reconnect(name);
  tell(`${name}: ${HEALTH_WORDS[health].toLowerCase()}.`);
}

/** What can be done with an MCP server, wherever it is listed. */
export const ServerMenu = ({ name, onRemove }: { name: string; onRemove?: () => Promise<void> }) => (
  <Menu label={`Actions for ${name}`} actions={() => actionsFor(name, onRemove)} />
);

function actionsFor(name: string, onRemove?: () => Promise<void>): MenuAction[] {
  const reconnect: MenuAction = { text: 'Reconnect', icon: 'loop', run: () => reconnectServer(name) };
  if (onRemove)
    return [reconnect, { text: 'Remove', icon: 'close', question: `Remove ${name}?`, run: onRemove }];
  const details = linkTo(welcome.value?.project ?? '', 'servers');
  return [{ text: 'Tools and errors', icon: 'plug', run: details }, reconnect];
}
