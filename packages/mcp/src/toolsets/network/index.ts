import type { Toolset } from '../../framework/toolset.ts';
import { relayDiscoverCapabilities } from './relay-discover-capabilities.ts';
import { relayGetMessages } from './relay-get-messages.ts';
import { relayJoinChannel } from './relay-join-channel.ts';
import { relayListAgents } from './relay-list-agents.ts';
import { relaySendMessage } from './relay-send-message.ts';
import { relayReleaseAgent, relaySpawnAgent } from './relay-spawn-agent.ts';
import { networkWording } from './wording.ts';

export const networkToolset: Toolset = {
  name: 'network',
  tools: [
    relaySendMessage,
    relayListAgents,
    relayGetMessages,
    relayJoinChannel,
    relaySpawnAgent,
    relayReleaseAgent,
    relayDiscoverCapabilities,
  ],
  wording: networkWording,
};
