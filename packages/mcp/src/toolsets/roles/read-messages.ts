import { dateOf } from '@agent-relay/protocol';
import type { Inbox, InboxMessage, Relay } from '@agent-relay/sdk';
import { z } from 'zod';
import { replyJson } from '../../framework/result.ts';
import { ACTS, defineTool } from '../../framework/tool.ts';

/** A reply has to fit into a model's context; the rest stays for the next call. */
const MOST_MESSAGES = 500;

export const readMessages = (roles: readonly string[]) =>
  defineTool({
    name: 'read_messages',
    description: 'Take all pending messages of a role, oldest first. Each is returned once.',
    input: z.strictObject({ for: z.enum(roles).describe('Your role') }),
    annotations: ACTS,
    handler: async (_participant, { for: role }, call) => {
      const inbox = await call.roles.get(role).takeMessages(pending, call);
      const messages = inbox.messages.map(relayMessage);
      return replyJson({ messages }, messages);
    },
  });

/** The unread messages; the daemon limits the size of a page, so it may take several. */
export async function pending(relay: Relay): Promise<Inbox> {
  const messages: InboxMessage[] = [];
  while (true) {
    const after = messages.at(-1)?.seq ?? 0;
    const limit = MOST_MESSAGES - messages.length;
    const page = await relay.inbox({ limit, after, unreadOnly: true, markRead: false });
    messages.push(...page.messages);
    const all = messages.length >= Math.min(page.unread, MOST_MESSAGES);
    if (all || page.messages.length === 0) return { messages, unread: page.unread };
  }
}

const relayMessage = ({ id, from, to, kind, content, ts }: InboxMessage) => ({
  id,
  from,
  to,
  kind,
  body: content,
  ts: dateOf(ts).toISOString(),
});
