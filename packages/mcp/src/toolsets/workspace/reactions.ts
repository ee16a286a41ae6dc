import { z } from 'zod';
import { replyJson } from '../../framework/result.ts';
import { ACTS_ONCE, defineTool } from '../../framework/tool.ts';

const input = z.strictObject({ message_id: z.string(), emoji: z.string() });

export const addReaction = defineTool({
  name: 'add_reaction',
  description: 'React to a message with an emoji.',
  input,
  annotations: ACTS_ONCE,
  handler: async (participant, { message_id, emoji }) => {
    const relay = await participant.relay();
    return replyJson({ message_id, reactions: await relay.react(message_id, emoji) });
  },
});

export const removeReaction = defineTool({
  name: 'remove_reaction',
  description: 'Remove your reaction from a message.',
  input,
  annotations: ACTS_ONCE,
  handler: async (participant, { message_id, emoji }) => {
    const relay = await participant.relay();
    return replyJson({ message_id, reactions: await relay.unreact(message_id, emoji) });
  },
});
