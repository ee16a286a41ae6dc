import type { OfferedTool } from '@agent-relay/sdk';
import { z } from 'zod';
import { replyJson } from '../../framework/result.ts';
import { defineTool, LOOKS } from '../../framework/tool.ts';
import { withoutDialect } from './without-dialect.ts';

export const listActions = defineTool({
  name: 'list_actions',
  description: 'List the actions you can invoke, or the tools of an agent, with input schemas.',
  input: z.strictObject({ agent: z.string().optional() }),
  annotations: LOOKS,
  handler: async (participant, { agent }) => {
    const relay = await participant.relay();
    if (agent !== undefined) {
      const tools = await relay.tools(agent);
      return replyJson({ tools: tools.map((tool) => shown({ ...tool, name: `${agent}.${tool.name}` })) });
    }
    const actions = await relay.actions();
    return replyJson({ actions: actions.map((action) => ({ ...shown(action), owner: action.owner })) });
  },
});

/** What a model needs to invoke it. */
const shown = ({ name, description, inputSchema, consent }: Omit<OfferedTool, 'served'>) => ({
  name,
  description,
  inputSchema: withoutDialect(inputSchema),
  ...(consent ? { consent: 'A person has to allow each call.' } : {}),
});
