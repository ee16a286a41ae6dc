import { actionKey } from '@agent-relay/protocol';
import type { OfferedTool } from '@agent-relay/sdk';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { replyJson } from '../../framework/result.ts';
import { defineTool, LOOKS } from '../../framework/tool.ts';
import { withoutDialect } from './without-dialect.ts';

export const listActions = defineTool({
  name: 'list_actions',
  description: 'List the actions you can invoke, or the tools of an agent, with input schemas.',
  input: z.strictObject({
    agent: z.string().optional(),
    name: z.string().optional().describe('Only names that begin so'),
  }),
  annotations: LOOKS,
  isLong: true,
  handler: async (participant, { agent, name = '' }) => {
    const relay = await participant.relay();
    const isWanted = (one: { name: string }) => actionKey(one.name).startsWith(actionKey(name));
    if (agent !== undefined) {
      const tools = (await relay.tools(agent)).filter(isWanted);
      return limited(
        'tools',
        tools.map((tool) => shown({ ...tool, name: `${agent}.${tool.name}` })),
      );
    }
    const actions = (await relay.actions()).filter(isWanted);
    return limited(
      'actions',
      actions.map((action) => ({ ...shown(action), owner: action.owner })),
    );
  },
});

/** What a model needs to invoke it. */
const shown = ({ name, description, inputSchema, consent }: Omit<OfferedTool, 'served'>) => ({
  name,
  description,
  inputSchema: withoutDialect(inputSchema),
  ...(consent ? { consent: 'A person has to allow each call.' } : {}),
});

/** An answer goes into a model's context: at most this many, and after the first, at most this many characters. */
const MAX_LISTED = 50;
const MAX_CHARACTERS = 32_768;

function limited(kind: 'actions' | 'tools', all: Array<ReturnType<typeof shown>>): CallToolResult {
  let left = MAX_CHARACTERS;
  const rest = all.slice(0, MAX_LISTED).findIndex((one, index) => {
    left -= JSON.stringify(one).length;
    return left < 0 && index > 0;
  });
  const listed = all.slice(0, rest < 0 ? MAX_LISTED : rest);
  const more = all.length - listed.length;
  if (more === 0) return replyJson({ [kind]: listed });
  const { content, ...data } = replyJson({ [kind]: listed, more });
  const hint = `${more} more ${kind} are not shown. Filter by the beginning of the name.`;
  return { ...data, content: [...content, { type: 'text', text: hint }] };
}
