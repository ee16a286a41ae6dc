import { parseChannelName } from '@agent-relay/protocol';
import { z } from 'zod';
import { defined } from '../../framework/defined.ts';
import { replyJson } from '../../framework/result.ts';
import { ACTS, ACTS_ONCE, defineTool, LOOKS } from '../../framework/tool.ts';

const channel = z.string();
const asListed = (name: string): string => `#${parseChannelName(name)}`;

export const createChannel = defineTool({
  name: 'create_channel',
  description: 'Create a channel and join it.',
  input: z.strictObject({ name: channel, topic: z.string().optional() }),
  annotations: ACTS,
  handler: async (participant, { name, topic }) => {
    const relay = await participant.relay();
    return replyJson({ channel: await relay.channels.create(name, defined({ topic })) });
  },
});

export const joinChannel = defineTool({
  name: 'join_channel',
  description: 'Join a channel to get its messages. Creates it if it does not exist.',
  input: z.strictObject({ channel }),
  annotations: ACTS_ONCE,
  handler: async (participant, args) => {
    const relay = await participant.relay();
    return replyJson({ ...(await relay.channels.join(args.channel, { create: true })) });
  },
});

export const leaveChannel = defineTool({
  name: 'leave_channel',
  description: 'Leave a channel.',
  input: z.strictObject({ channel }),
  annotations: ACTS_ONCE,
  handler: async (participant, args) => {
    const relay = await participant.relay();
    return replyJson({ left: await relay.channels.leave(args.channel) });
  },
});

export const listChannels = defineTool({
  name: 'list_channels',
  description: 'List the channels of the workspace.',
  input: z.strictObject({ include_archived: z.boolean().default(false) }),
  annotations: LOOKS,
  handler: async (participant, { include_archived }) => {
    const relay = await participant.relay();
    return replyJson({ channels: await relay.channels.list({ includeArchived: include_archived }) });
  },
});

export const inviteToChannel = defineTool({
  name: 'invite_to_channel',
  description: 'Add another agent to a channel.',
  input: z.strictObject({ channel, agent: z.string() }),
  annotations: ACTS_ONCE,
  handler: async (participant, args) => {
    const relay = await participant.relay();
    return replyJson({ added: await relay.channels.invite(args.channel, args.agent) });
  },
});

export const setChannelTopic = defineTool({
  name: 'set_channel_topic',
  description: 'Set the topic of a channel.',
  input: z.strictObject({ channel, topic: z.string() }),
  annotations: ACTS_ONCE,
  handler: async (participant, args) => {
    const relay = await participant.relay();
    await relay.channels.topic(args.channel, args.topic);
    return replyJson({ channel: asListed(args.channel), topic: args.topic });
  },
});

export const archiveChannel = defineTool({
  name: 'archive_channel',
  description: 'Make a channel read-only. Its messages stay.',
  input: z.strictObject({ channel }),
  annotations: ACTS_ONCE,
  handler: async (participant, args) => {
    const relay = await participant.relay();
    await relay.channels.archive(args.channel);
    return replyJson({ channel: asListed(args.channel), archived: true });
  },
});
