import { z } from 'zod';
import { defined } from '../../framework/defined.ts';
import { replyJson } from '../../framework/result.ts';
import { sendingNote } from '../../framework/sent.ts';
import { ACTS, defineTool } from '../../framework/tool.ts';

export const relaySendMessage = defineTool({
  name: 'relay_send_message',
  description: 'Send a message to an agent, a #channel, or "*" for everyone. Offline agents get it later.',
  input: z.strictObject({
    to: z.string().describe('Agent name, #channel or "*"'),
    body: z.string(),
    thread: z.string().optional().describe('Thread id for related messages'),
  }),
  annotations: ACTS,
  handler: async (participant, { to, body, thread }) => {
    const relay = await participant.relay();
    const sent = await relay.send(to, body, defined({ thread }));
    const { messageId, held } = sent;
    const note = sendingNote(sent);
    return replyJson({ success: true, ...sent, note }, { success: true, messageId, held, note });
  },
});
