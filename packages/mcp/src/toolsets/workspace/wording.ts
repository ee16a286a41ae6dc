import type { Wording } from '../../framework/toolset.ts';

export const workspaceWording: Wording = {
  send: (to, message) =>
    to.startsWith('#')
      ? `post_message(channel="${to}", text="${message}")`
      : `send_dm(to="${to}", text="${message}")`,
  answer: ({ id }) => `reply_to_thread(message_id="${id}", text="…")`,
  agents: 'list_agents',
  agentsAndTasks: 'list_agents',
  inbox: 'check_inbox',
  nextSteps: {
    AgentNotFound: 'List the agents with list_agents(status="all").',
    ChannelNotFound: 'See the channels with list_channels, or create this one with join_channel.',
    AgentNameRequired: 'Register a name first with register_agent.',
  },
};
