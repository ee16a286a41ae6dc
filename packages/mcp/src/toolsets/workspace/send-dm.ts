import { z } from 'zod';
import { replyJson } from '../../framework/result.ts';
import { sendingNote } from '../../framework/sent.ts';
import { ACTS, defineTool } from '../../framework/tool.ts';

/** What `mode` means for the recipient: `steer` asks for attention now. */
export const mode = z.enum(['wait', 'steer']).default('wait').describe('steer: urgent, to be read now');
export const importanceOf = (chosen: z.output<typeof mode>) => (chosen === 'steer' ? 'urgent' : 'normal');

export const sendDm = defineTool({
  name: 'send_dm',
  description: 'Send a direct message to an agent. Offline agents get it later.',
  input: z.strictObject({ to: z.string(), text: z.string(), mode }),
  annotations: ACTS,
  handler: async (participant, args) => {
    const relay = await participant.relay();
    const sent = await relay.send(args.to, args.text, { importance: importanceOf(args.mode) });
    const { messageId, online, held } = sent;
    const note = sendingNote(sent);
    return replyJson({ message_id: messageId, to: args.to, online: online > 0, held, note });
  },
});
