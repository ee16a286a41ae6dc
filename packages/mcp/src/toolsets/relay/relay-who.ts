import { safeLine } from '@agent-relay/protocol';
import type { AgentInfo } from '@agent-relay/sdk';
import { z } from 'zod';
import { defined } from '../../framework/defined.ts';
import { markOwn } from '../../framework/own-entry.ts';
import { reply } from '../../framework/result.ts';
import { defineTool, LOOKS } from '../../framework/tool.ts';

const input = z.strictObject({
  include_idle: z.boolean().default(true),
  project: z.string().optional().describe('Project name (default: yours)'),
});

export const relayWho = defineTool({
  name: 'relay_who',
  description: 'List the agents that are online.',
  input,
  annotations: LOOKS,
  handler: async (participant, { include_idle, project }) => {
    const relay = await participant.relay();
    const agents = await relay.who({ includeIdle: include_idle, ...defined({ project }) });
    const listed = agents.map((agent) => markOwn(agent, relay));
    return reply(agentsText(listed), { agents: listed });
  },
});

function agentsText(agents: Array<AgentInfo & { you?: true }>): string {
  if (agents.length === 0) return 'No agents online.';
  const lines = agents.map(({ name, handle, cli, type, status, parent, task, you }) => {
    const worker = parent === undefined ? '' : ` [worker of: ${safeLine(parent)}]`;
    const doing = task === undefined ? '' : ` [task: ${safeLine(task)}]`;
    const also = handle === undefined ? '' : ` @${handle}`;
    return `- ${name}${also} (${safeLine(cli ?? type)}) - ${status}${worker}${doing}${you ? ' (you)' : ''}`;
  });
  return `${agents.length} agent(s) online:\n${lines.join('\n')}`;
}
