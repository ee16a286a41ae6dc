import { z } from 'zod';
import { replyJson } from '../../framework/result.ts';
import { defineTool, LOOKS } from '../../framework/tool.ts';

export const listActions = defineTool({
  name: 'list_actions',
  description: 'List the actions you can invoke, with their input schemas.',
  input: z.strictObject({}),
  annotations: LOOKS,
  handler: async (participant) => {
    const actions = await (await participant.relay()).actions();
    return replyJson({
      actions: actions.map(({ name, description, inputSchema, owner }) => ({
        name,
        description,
        owner,
        inputSchema,
      })),
    });
  },
});
