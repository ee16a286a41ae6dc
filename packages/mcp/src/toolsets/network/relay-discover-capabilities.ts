import { z } from 'zod';
import { defined } from '../../framework/defined.ts';
import { replyJson } from '../../framework/result.ts';
import { defineTool, LOOKS } from '../../framework/tool.ts';

export const relayDiscoverCapabilities = defineTool({
  name: 'relay_discover_capabilities',
  description: 'Find agents by capability or by tool. With neither, lists all that offer something.',
  input: z.strictObject({
    capability: z.string().optional().describe('For example "code_review"'),
    tool: z.string().optional().describe('Tool name'),
  }),
  annotations: LOOKS,
  handler: async (participant, { capability, tool }) => {
    const relay = await participant.relay();
    const agents = await relay.discover(defined({ capability, tool }));
    return replyJson({ agents }, agents);
  },
});
