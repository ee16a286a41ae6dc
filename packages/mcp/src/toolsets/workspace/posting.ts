import { parseChannelName } from '@agent-relay/protocol';
import { z } from 'zod';
import { replyJson } from '../../framework/result.ts';
import { sendingNote } from '../../framework/sent.ts';
import { ACTS, defineTool } from '../../framework/tool.ts';
import { importanceOf, mode } from './send-dm.ts';

export const postMessage = defineTool({
  name: 'post_message',
  description: 'Post a message in a channel. Joins the channel if needed.',
  input: z.strictObject({ channel: z.string(), text: z.string(), mode }),
  annotations: ACTS,
  handler: async (participant, { channel, text, ...args }) => {
    const relay = await participant.relay();
    const to = `#${parseChannelName(channel)}`;
    const sent = await relay.send(to, text, { importance: importanceOf(args.mode) });
    const { messageId, recipients, held } = sent;
    return replyJson({ message_id: messageId, channel: to, recipients, held, note: sendingNote(sent) });
  },
});

export const sendGroupDm = defineTool({
  name: 'send_group_dm',
  description: 'Send a message to several agents. The same agents always share one conversation.',
  input: z.strictObject({
    participants: z.array(z.string()).min(2),
    text: z.string(),
    name: z.string().optional().describe('Title; becomes the first line'),
  }),
  annotations: ACTS,
  handler: async (participant, { participants, text, name }) => {
    const relay = await participant.relay();
    const content = name === undefined ? text : `${name}\n\n${text}`;
    const sent = await relay.send(participants, content);
    const { messageId, recipients, offline, held } = sent;
    return replyJson({ message_id: messageId, recipients, offline, held, note: sendingNote(sent) });
  },
});

export const replyToThread = defineTool({
  name: 'reply_to_thread',
  description: 'Reply to a message in its thread.',
  input: z.strictObject({ message_id: z.string(), text: z.string() }),
  annotations: ACTS,
  handler: async (participant, { message_id, text }) => {
    const relay = await participant.relay();
    const sent = await relay.reply(message_id, text);
    const { messageId, thread, recipients, held } = sent;
    return replyJson({ message_id: messageId, thread, recipients, held, note: sendingNote(sent) });
  },
});
