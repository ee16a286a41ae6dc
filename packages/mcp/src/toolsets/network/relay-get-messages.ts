import { type HistoryMessage, type InboxMessage, RelayError } from '@agent-relay/sdk';
import { z } from 'zod';
import { defined } from '../../framework/defined.ts';
import { replyJson } from '../../framework/result.ts';
import { shownMessage } from '../../framework/shown-message.ts';
import { ACTS, defineTool } from '../../framework/tool.ts';
import { networkWording } from './wording.ts';

type Seen = Pick<InboxMessage, 'authority' | 'readAt'>;

export const relayGetMessages = defineTool({
  name: 'relay_get_messages',
  description: 'Read the latest messages you can see, oldest first. Marks those for you as read.',
  input: z.strictObject({
    agent: z.string().optional().describe('Only from or to this agent'),
    thread: z.string().optional(),
    limit: z.int().min(1).max(500).default(50),
    since: z.string().optional().describe('ISO time; only messages after it'),
  }),
  annotations: ACTS,
  showsInbox: true,
  handler: async (participant, { since, ...filters }, call) => {
    const query = defined({ ...filters, since: since === undefined ? undefined : timeOf(since) });
    const { messages } = await participant.takeMessages(async (relay) => {
      const { messages } = await relay.history(query);
      // The history does not show what is unread, nor with which authority it was said; the inbox does.
      const inbox = await relay.inbox({ limit: 500, markRead: false });
      const unread = new Map(inbox.messages.map(({ id, authority }) => [id, authority]));
      return {
        messages: messages.map((message): HistoryMessage & Partial<Seen> => {
          if (!unread.has(message.id)) return { ...message, readAt: message.ts };
          return { ...message, ...defined({ authority: unread.get(message.id) }) };
        }),
        unread: inbox.unread,
      };
    }, call);
    const shown = messages.map(({ readAt, ...message }) =>
      shownMessage(message, networkWording, participant.name),
    );
    return replyJson({ messages: shown }, shown);
  },
});

function timeOf(text: string): number {
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw new RelayError('InvalidRequest', `since: "${text}" is not a time.`, {
    next: 'Use an ISO time such as 2026-05-02T14:30:00Z.',
    details: { field: 'since' },
  });
}
