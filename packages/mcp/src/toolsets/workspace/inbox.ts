import { z } from 'zod';
import { replyJson } from '../../framework/result.ts';
import { shownMessage } from '../../framework/shown-message.ts';
import { ACTS_ONCE, defineTool, LOOKS } from '../../framework/tool.ts';
import { workspaceWording } from './wording.ts';

export const checkInbox = defineTool({
  name: 'check_inbox',
  description: 'Show your unread messages, oldest first. They stay unread; use mark_message_read.',
  input: z.strictObject({ limit: z.int().min(1).max(500).default(20) }),
  annotations: LOOKS,
  showsInbox: true,
  handler: async (participant, { limit }) => {
    const relay = await participant.relay();
    const { messages, unread } = await relay.inbox({ limit, unreadOnly: true, markRead: false });
    const shown = messages.map((message) => shownMessage(message, workspaceWording, participant.name));
    return replyJson({ unread, messages: shown });
  },
});

export const markMessageRead = defineTool({
  name: 'mark_message_read',
  description: 'Mark a message as read.',
  input: z.strictObject({ message_id: z.string() }),
  annotations: ACTS_ONCE,
  showsInbox: true,
  handler: async (participant, { message_id }) => {
    const relay = await participant.relay();
    await relay.read(message_id, { path: 'pull' });
    return replyJson({ message_id, read: true });
  },
});

export const getMessageReaders = defineTool({
  name: 'get_message_readers',
  description: 'Show who has read a message, and who has not.',
  input: z.strictObject({ message_id: z.string() }),
  annotations: LOOKS,
  handler: async (participant, { message_id }) => {
    const relay = await participant.relay();
    return replyJson({ message_id, ...(await relay.readers(message_id)) });
  },
});
