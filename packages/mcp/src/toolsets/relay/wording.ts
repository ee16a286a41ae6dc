import { answerAddress } from '../../framework/shown-message.ts';
import type { Wording } from '../../framework/toolset.ts';

export const relayWording: Wording = {
  send: (to, message) => `relay_send(to="${to}", message="${message}")`,
  answer: (message) => {
    const thread = message.thread === undefined ? '' : `, thread="${message.thread}"`;
    return `relay_send(to="${answerAddress(message)}"${thread}, message="…")`;
  },
  agents: 'relay_who',
  agentsAndTasks: 'relay_who',
  inbox: 'relay_inbox',
  nextSteps: {
    AgentNotFound: 'List the agents with relay_who.',
    ChannelNotFound: 'See the resource relay://channels for the names.',
    AgentNameRequired: 'Ask your user to give this client a name.',
  },
};
