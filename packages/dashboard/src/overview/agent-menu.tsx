import type { AgentInfo } from '@agent-relay/sdk';
import { relayNow, welcome } from '../connection/connection.ts';
import { Menu, type MenuAction } from '../parts/menu.tsx';
import { tell } from '../parts/notices.tsx';
import { linkTo, type Place } from '../routes.ts';
import { hasTerminal } from '../terminals/live-terminals.ts';

/** Ends the agent's program. */
export async function releaseAgent(name: string): Promise<void> {
  await relayNow().workers.release(name, { reason: 'released in the dashboard' });
  tell(`Released ${name}.`);
}

/** What can be done with an agent, wherever it is listed. */
export const AgentMenu = ({ agent }: { agent: AgentInfo }) => (
  <Menu label={`Actions for ${agent.name}`} actions={() => actionsFor(agent)} />
);

function actionsFor(agent: AgentInfo): MenuAction[] {
  const { name, type } = agent;
  const at = (place: Place) => linkTo(welcome.value?.project ?? '', place, name);
  const actions: MenuAction[] = [{ text: 'Open agent', icon: 'person', run: at('agent') }];
  if (type === 'agent') actions.push({ text: 'Message', icon: 'dialog', run: at('direct') });
  if (!hasTerminal(agent)) return actions;
  return [
    ...actions,
    { text: 'Open terminal', icon: 'terminal', run: at('terminal') },
    { text: 'Release', icon: 'close', question: 'End its program?', run: () => releaseAgent(name) },
  ];
}
