import { z } from 'zod';
import { replyJson } from '../../framework/result.ts';
import { ACTS, defineTool } from '../../framework/tool.ts';

export const submitResult = defineTool({
  name: 'submit_result',
  description: 'Send your result to the agent you work for. final=false: more will follow.',
  input: z.strictObject({ data: z.unknown(), final: z.boolean().default(true) }),
  annotations: ACTS,
  handler: async (participant, { data, final }) => {
    const relay = await participant.relay();
    const { messageId, to } = await relay.workers.submitResult(data, { final });
    return replyJson({ message_id: messageId, to, final });
  },
});
