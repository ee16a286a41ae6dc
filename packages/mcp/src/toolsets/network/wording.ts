import { answerAddress } from '../../framework/shown-message.ts';
import type { Wording } from '../../framework/toolset.ts';

export const networkWording: Wording = {
  send: (to, message) => `relay_send_message(to="${to}", body="${message}")`,
  answer: (message) => {
    const thread = message.thread === undefined ? '' : `, thread="${message.thread}"`;
    return `relay_send_message(to="${answerAddress(message)}"${thread}, body="…")`;
  },
  agents: 'relay_list_agents',
  agentsAndTasks: 'relay_list_agents(includeMetadata=true)',
  inbox: 'relay_get_messages',
  nextSteps: {
    AgentNotFound: 'List the agents with relay_list_agents.',
    ChannelNotFound: 'Create it with relay_join_channel, or see the resource relay://channels for the names.',
    AgentNameRequired: 'Ask your user to give this client a name.',
  },
};
