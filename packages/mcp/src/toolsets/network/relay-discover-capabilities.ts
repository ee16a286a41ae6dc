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
    const isFiltered = capability !== undefined || tool !== undefined;
    const agents = found.slice(0, isFiltered ? MAX_FOUND : MAX_AGENTS).map((agent) => shortened(agent, tool));
    const more = found.length - agents.length;
    const { content, ...rest } = replyJson({ agents, ...(more > 0 ? { more } : {}) }, agents);
    const hint = `${more} more agents ${isFiltered ? 'offer this too.' : 'are not shown. Filter by capability or tool.'}`;
    return { ...rest, content: more > 0 ? [...content, { type: 'text', text: hint }] : content };
  },
});

/** So many agents, and so many tools of each: a thousand may offer the same. */
const MAX_AGENTS = 20;
const MAX_FOUND = 50;
const MAX_TOOLS = 20;

function shortened({ tools, ...agent }: AgentOffer, wanted: string | undefined) {
  const isWanted = (name: string) => name === wanted;
  const wantedFirst = [...tools.filter(isWanted), ...tools.filter((name) => !isWanted(name))];
  return {
    ...agent,
    tools: wantedFirst.slice(0, MAX_TOOLS),
    ...(tools.length > MAX_TOOLS ? { moreTools: tools.length - MAX_TOOLS } : {}),
  };
}
