import type { AgentOffer } from '@agent-relay/sdk';
import { z } from 'zod';
import { defined } from '../../framework/defined.ts';
import { replyJson } from '../../framework/result.ts';
import { defineTool, LOOKS } from '../../framework/tool.ts';

export const relayDiscoverCapabilities = defineTool({
  name: 'relay_discover_capabilities',
  description:
    'Find agents by what they say they can do (capability) or by tool. With neither, lists all that offer something.',
  input: z.strictObject({
    capability: z.string().optional().describe('For example "code_review"'),
    tool: z.string().optional().describe('Tool name'),
  }),
  annotations: LOOKS,
  handler: async (participant, { capability, tool }) => {
    const relay = await participant.relay();
    const found = await relay.discover(defined({ capability, tool }));
    if (capability !== undefined || tool !== undefined) return replyJson({ agents: found }, found);
    const agents = found.slice(0, MAX_AGENTS).map(shortened);
    const more = found.length - agents.length;
    const { content, ...rest } = replyJson({ agents, ...(more > 0 ? { more } : {}) }, agents);
    const hint = `${more} more agents are not shown. Filter by capability or tool.`;
    return { ...rest, content: more > 0 ? [...content, { type: 'text', text: hint }] : content };
  },
});

/** Without a filter, so many agents, and so many tools of each. */
const MAX_AGENTS = 20;
const MAX_TOOLS = 20;

const shortened = ({ tools, ...agent }: AgentOffer) => ({
  ...agent,
  tools: tools.slice(0, MAX_TOOLS),
  ...(tools.length > MAX_TOOLS ? { moreTools: tools.length - MAX_TOOLS } : {}),
});
