import { z } from 'zod';
import { replyJson } from '../../framework/result.ts';
import { defineTool, LOOKS } from '../../framework/tool.ts';
import { acknowledgement, outcome } from './invocation-result.ts';

export const getInvocation = defineTool({
  name: 'get_invocation',
  description: 'Show how an invocation ended, with its result.',
  input: z.strictObject({ invocation_id: z.string() }),
  annotations: LOOKS,
  handler: async (participant, { invocation_id }) => {
    const invocation = await (await participant.relay()).invocation(invocation_id);
    return invocation.status === 'invoked' ? replyJson(acknowledgement(invocation)) : outcome(invocation);
  },
});
