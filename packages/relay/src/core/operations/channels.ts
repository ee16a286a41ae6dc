import { isRelayError, type RelayEvent } from '@agent-relay/protocol';
import type { Channel } from '../ports/store/channels.ts';
import { actorName, type Principal, requireAgent, requireAgentOrOwner } from '../principal.ts';
import { listPage } from '../reading/page.ts';
import type { Relay } from '../relay.ts';
import type { Handlers } from './caller.ts';

type Names =
  | 'CHANNEL_CREATE'
  | 'CHANNEL_JOIN'
  | 'CHANNEL_LEAVE'
  | 'CHANNEL_LIST'
  | 'CHANNEL_MEMBERS'
  | 'CHANNEL_INVITE'
  | 'CHANNEL_TOPIC'
  | 'CHANNEL_ARCHIVE';

export function channelHandlers({ agents, channels, presence }: Relay): Handlers<Names> {
  const describe = ({ workspace, agent }: Principal, channel: Channel) =>
    channels.describe(workspace, channel, agent);
  const tell = ({ workspace }: Principal, event: RelayEvent) => presence.tell(workspace.id, event);
  const create = async (principal: Principal, name: string, topic?: string): Promise<Channel> => {
    const channel = await channels.create(principal, name, topic);
    tell(principal, { type: 'channel.created', channel: `#${channel.name}`, agent: actorName(principal) });
    return channel;
  };
  /** If several agents create the same channel at once, all but the first join it. */
  const ensure = (principal: Principal, name: string): Channel | Promise<Channel> =>
    channels.find(principal.workspace, name) ??
    create(principal, name).catch((error: unknown) => {
      if (isRelayError(error, 'ChannelExists')) return channels.get(principal.workspace, name);
      throw error;
    });
  return {
    CHANNEL_CREATE: async ({ principal }, { name, topic }) => {
      requireAgentOrOwner(principal);
      const channel = await create(principal, name, topic);
      if (principal.agent) await channels.join(channel, principal.agent);
      return { channel: describe(principal, channel) };
    },
    CHANNEL_JOIN: async ({ principal }, { channel: name, create: orCreate }) => {
      const agent = requireAgent(principal);
      const channel = orCreate ? await ensure(principal, name) : channels.get(principal.workspace, name);
      const joined = await channels.join(channel, agent);
      return { channel: describe(principal, channel), joined };
    },
    CHANNEL_LEAVE: async ({ principal }, { channel: name }) => {
      const agent = requireAgent(principal);
      const channel = channels.get(principal.workspace, name);
      const left = await channels.leave(channel, agent);
      if (left) tell(principal, { type: 'channel.left', channel: `#${channel.name}`, agent: agent.name });
      return { left };
    },
    CHANNEL_LIST: ({ principal }, { includeArchived, cursor }) => {
      const wanted = channels
        .list(principal.workspace)
        .filter((channel) => includeArchived || channel.archivedAt === undefined);
      const { items, ...next } = listPage(wanted, cursor, (channel) => describe(principal, channel));
      return { channels: items, ...next };
    },
    CHANNEL_MEMBERS: ({ principal: { workspace } }, { channel }) => ({
      members: channels
        .members(workspace, channels.get(workspace, channel))
        .map(({ name }) => name)
        .sort(),
    }),
    CHANNEL_INVITE: async ({ principal }, { channel: name, agent: invited }) => {
      requireAgentOrOwner(principal);
      const channel = channels.get(principal.workspace, name);
      const agent = agents.get(principal.workspace, invited);
      return { added: await channels.join(channel, agent) };
    },
    CHANNEL_TOPIC: async ({ principal }, { channel: name, topic }) => {
      requireAgentOrOwner(principal);
      const channel = channels.get(principal.workspace, name);
      channels.requireOpen(channel);
      await channels.setTopic(channel, topic);
      tell(principal, {
        type: 'channel.topic',
        channel: `#${channel.name}`,
        topic,
        agent: actorName(principal),
      });
      return {};
    },
    CHANNEL_ARCHIVE: async ({ principal }, { channel: name, archived }) => {
      requireAgentOrOwner(principal);
      const channel = channels.get(principal.workspace, name);
      await channels.archive(channel, archived);
      const type = archived ? 'channel.archived' : 'channel.opened';
      tell(principal, { type, channel: `#${channel.name}`, agent: actorName(principal) });
      return {};
    },
  };
}
