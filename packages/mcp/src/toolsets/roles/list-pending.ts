import { z } from 'zod';
import { replyJson } from '../../framework/result.ts';
import { defineTool, LOOKS } from '../../framework/tool.ts';
import { pending } from './read-messages.ts';

export const listPending = (roles: readonly string[]) =>
  defineTool({
    name: 'list_pending',
    description: 'Count the pending messages of a role and list their kinds, without taking them.',
    input: z.strictObject({ for: z.enum(roles).describe('Your role') }),
    annotations: LOOKS,
    handler: async (_participant, { for: role }, call) => {
      const { messages, unread } = await pending(await call.roles.get(role).relay());
      return replyJson({ count: unread, kinds: messages.map(({ kind }) => kind) });
    },
  });
