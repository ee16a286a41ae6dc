import { plainAgentName } from '@agent-relay/protocol';
import { RelayError } from '@agent-relay/sdk';
import { z } from 'zod';
import { defined } from '../../framework/defined.ts';
import { replyJson } from '../../framework/result.ts';
import { ACTS_ONCE, defineTool } from '../../framework/tool.ts';

export const registerAgent = defineTool({
  name: 'register_agent',
  description: 'Register under a name. Others write to you by that name, and your inbox is kept.',
  input: z.strictObject({
    name: z.string(),
    handle: z.string().optional().describe('Second name, for example @bp'),
    type: z.enum(['agent', 'human']).optional(),
    metadata: z
      .strictObject({
        task: z.string().optional(),
        cli: z.string().optional(),
        capabilities: z
          .array(z.union([z.string(), z.strictObject({ category: z.string(), description: z.string() })]))
          .optional(),
        tools: z
          .array(
            z.strictObject({
              name: z.string(),
              description: z.string().default(''),
              inputSchema: z.record(z.string(), z.unknown()).default({}),
            }),
          )
          .optional()
          .describe('Tools that others can ask you for in a message'),
      })
      .optional(),
  }),
  annotations: ACTS_ONCE,
  tellsName: true,
  handler: async (participant, { name, handle, type, metadata }, call) => {
    if (type === 'human') {
      throw new RelayError('Forbidden', 'A session cannot register as a person.', {
        next: 'Omit type. Only the owner can set it.',
      });
    }
    const registration = { name: plainAgentName(name), ...defined({ handle, ...metadata }) };
    const relay = await call.membership.register(participant, registration);
    return replyJson({
      name: relay.name,
      handle: relay.welcome.agent?.handle,
      workspace: relay.project,
      type: relay.welcome.agent?.type,
      unread: relay.welcome.unread ?? 0,
    });
  },
});
