import type { AgentInfo } from '@agent-relay/sdk';
import { z } from 'zod';
import { markOwn } from '../../framework/own-entry.ts';
import { replyJson } from '../../framework/result.ts';
import { defineTool, LOOKS } from '../../framework/tool.ts';

export const relayListAgents = defineTool({
  name: 'relay_list_agents',
  description: 'List the agents connected to the relay.',
  input: z.strictObject({
    includeMetadata: z
      .boolean()
      .default(false)
      .describe('Include task, capabilities, cli and connection time'),
  }),
  annotations: LOOKS,
  handler: async (participant, { includeMetadata }) => {
    const relay = await participant.relay();
    const agents = (await relay.who())
      .map((agent) => markOwn(agent, relay))
      .map(includeMetadata ? withMetadata : nameAndStatus);
    return replyJson({ agents }, agents);
  },
});

type Listed = AgentInfo & { you?: true };

const nameAndStatus = ({ name, handle, status, you }: Listed) => ({ name, handle, status, you });

const withMetadata = ({ name, handle, status, task, capabilities, cli, connectedAt, you }: Listed) => ({
  name,
  handle,
  status,
  task,
  capabilities,
  cli,
  connectedAt,
  you,
});
