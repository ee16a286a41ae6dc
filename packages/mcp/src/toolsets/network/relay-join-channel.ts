import { z } from 'zod';
import { replyJson } from '../../framework/result.ts';
import { ACTS_ONCE, defineTool } from '../../framework/tool.ts';

export const relayJoinChannel = defineTool({
  name: 'relay_join_channel',
  description: 'Join a channel to get its messages. Creates it if it does not exist.',
  input: z.strictObject({ channel: z.string().describe('For example "#backend"') }),
  annotations: ACTS_ONCE,
  handler: async (participant, args) => {
    const relay = await participant.relay();
    const { channel } = await relay.channels.join(args.channel, { create: true });
    return replyJson({ success: true, channel: channel.name });
  },
});
