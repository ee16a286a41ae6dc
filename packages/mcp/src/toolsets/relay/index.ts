import type { Toolset } from '../../framework/toolset.ts';
import { relayInbox } from './relay-inbox.ts';
import { relaySend } from './relay-send.ts';
import { relayStatus } from './relay-status.ts';
import { relayWho } from './relay-who.ts';

export const relayToolset: Toolset = {
  name: 'relay',
  tools: [relaySend, relayInbox, relayWho, relayStatus],
  wording: {
    send: (to, message) => `relay_send(to="${to}", message="${message}")`,
    agents: 'relay_who',
    inbox: 'relay_inbox',
  },
};
