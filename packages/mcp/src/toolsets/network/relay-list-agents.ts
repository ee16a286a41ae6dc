import type { AgentInfo } from '@agent-relay/sdk';
import { z } from 'zod';
import { replyJson } from '../../framework/result.ts';
import { defineTool, LOOKS } from '../../framework/tool.ts';

export const relayListAgents = defineTool({
  name: 'relay_list_agents',
  description: 'List the agents connected to the relay.',
  input: z.strictObject({
    includeMetadata: z
      .boolean()
      .default(false)
      .describe('With task, capabilities, cli and time of connection'),
  }),
  annotations: LOOKS,
  handler: async (participant, { includeMetadata }) => {
    const relay = await participant.relay();
    const agents = (await relay.who()).map(includeMetadata ? withMetadata : nameAndStatus);
    return replyJson({ agents }, agents);
  },
});

const nameAndStatus = ({ name, handle, status }: AgentInfo) => ({ name, handle, status });

const withMetadata = ({ name, handle, status, task, capabilities, cli, connectedAt }: AgentInfo) => ({
  name,
  handle,
  status,
  task,
  capabilities,
  cli,
  connectedAt,
});
