import type { AgentInfo } from '@agent-relay/sdk';
import { z } from 'zod';
import { markOwn } from '../../framework/own-entry.ts';
import { replyJson } from '../../framework/result.ts';
import { defineTool, LOOKS } from '../../framework/tool.ts';

const STATUSES = ['online', 'active', 'idle', 'offline', 'all'] as const;

export const listAgents = defineTool({
  name: 'list_agents',
  description: 'List the agents of the workspace, with the names of their tools.',
  input: z.strictObject({ status: z.enum(STATUSES).default('online') }),
  annotations: LOOKS,
  handler: async (participant, { status }) => {
    const relay = await participant.relay();
    const agents = (await relay.who({ includeOffline: true })).filter((agent) => hasStatus(agent, status));
    const tools = new Map((await relay.discover()).map((offer) => [offer.name, namesOf(offer.tools)]));
    return replyJson({
      agents: agents.map((agent) => ({ ...summary(markOwn(agent, relay)), ...tools.get(agent.name) })),
    });
  },
});

/** More tools of one agent would hide the others. */
const MAX_TOOLS = 20;

const namesOf = (tools: string[]): { tools?: string[]; moreTools?: number } => ({
  ...(tools.length > 0 ? { tools: tools.slice(0, MAX_TOOLS) } : {}),
  ...(tools.length > MAX_TOOLS ? { moreTools: tools.length - MAX_TOOLS } : {}),
});

const hasStatus = (agent: AgentInfo, wanted: (typeof STATUSES)[number]): boolean =>
  wanted === 'all' || (wanted === 'online' ? agent.status !== 'offline' : agent.status === wanted);

const summary = ({ mcpEnabled, project, ...agent }: AgentInfo) => agent;
