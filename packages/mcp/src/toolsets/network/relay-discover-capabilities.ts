import { z } from 'zod';
import { replyJson } from '../../framework/result.ts';
import { defineTool, LOOKS } from '../../framework/tool.ts';

export const relayDiscoverCapabilities = defineTool({
  name: 'relay_discover_capabilities',
  description:
    'Find agents by a capability or by a tool they offer; without either, all that offer something.',
  input: z.strictObject({
    capability: z.string().optional().describe('Such as "code_review"'),
    tool: z.string().optional().describe('Name of a tool'),
  }),
  annotations: LOOKS,
  handler: async (participant, { capability, tool }) => {
    const relay = await participant.relay();
    const offers = (await relay.who()).map(({ name, capabilities, tools }) => ({
      name,
      capabilities,
      tools: tools.map((offered) => offered.name),
    }));
    const agents = offers.filter(({ capabilities, tools }) =>
      capability === undefined && tool === undefined
        ? capabilities.length + tools.length > 0
        : (capability !== undefined && capabilities.includes(capability)) ||
          (tool !== undefined && tools.includes(tool)),
    );
    return replyJson({ agents }, agents);
  },
});
