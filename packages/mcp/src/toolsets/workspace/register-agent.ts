import { plainAgentName } from '@agent-relay/protocol';
import { RelayError } from '@agent-relay/sdk';
import { z } from 'zod';
import { defined } from '../../framework/defined.ts';
import { replyJson } from '../../framework/result.ts';
import { ACTS_ONCE, defineTool } from '../../framework/tool.ts';

export const registerAgent = defineTool({
  name: 'register_agent',
  description:
    'Take part under a name of your own. Others address you by it, and your inbox is kept for you.',
  input: z.strictObject({
    name: z.string(),
    handle: z.string().optional().describe('Second name, such as @bp'),
    type: z.enum(['agent', 'human']).optional(),
    metadata: z
      .strictObject({
        task: z.string().optional(),
        cli: z.string().optional(),
        capabilities: z.array(z.string()).optional(),
      })
      .optional(),
  }),
  annotations: ACTS_ONCE,
  tellsName: true,
  handler: async (participant, { name, handle, type, metadata }, call) => {
    if (type === 'human') {
      throw new RelayError('Forbidden', 'A session cannot register as a person: the owner decides that.', {
        next: 'Leave out type. Only your user decides who is a person.',
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
