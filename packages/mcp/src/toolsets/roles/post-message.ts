import { MESSAGE_KINDS } from '@agent-relay/protocol';
import { z } from 'zod';
import { replyJson } from '../../framework/result.ts';
import { ACTS, defineTool } from '../../framework/tool.ts';

export const postMessage = (roles: readonly string[]) =>
  defineTool({
    name: 'post_message',
    description: 'Send a message to another role.',
    input: z.strictObject({
      from: z.enum(roles).describe('Your role'),
      to: z.enum(roles),
      kind: z.enum(MESSAGE_KINDS),
      body: z.string(),
    }),
    annotations: ACTS,
    handler: async (_participant, { from, to, kind, body }, call) => {
      // A role is registered on first use; this may be the recipient's.
      await call.roles.get(to).relay();
      const sender = await call.roles.get(from).relay();
      const { messageId, held } = await sender.send(to, body, { kind });
      return replyJson({ id: messageId, held });
    },
  });
