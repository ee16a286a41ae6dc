import type { Message } from '@agent-relay/sdk';
import { z } from 'zod';
import { defined } from '../../framework/defined.ts';
import { replyJson } from '../../framework/result.ts';
import { withSenderType } from '../../framework/shown-message.ts';
import { defineTool, LOOKS } from '../../framework/tool.ts';

const limit = (most: number, usual: number) => z.int().min(1).max(most).default(usual);
const cursor = z.int().nonnegative().optional();

export const getMessageThread = defineTool({
  name: 'get_message_thread',
  description: 'Read a message and its replies, oldest first.',
  input: z.strictObject({ message_id: z.string(), limit: limit(500, 50) }),
  annotations: LOOKS,
  handler: async (participant, { message_id, ...options }) => {
    const relay = await participant.relay();
    return replyJson(typed(await relay.thread(message_id, options)));
  },
});

export const listMessages = defineTool({
  name: 'list_messages',
  description: 'Read a channel: its newest messages, or those before or after a seq.',
  input: z.strictObject({ channel: z.string(), limit: limit(500, 50), before: cursor, after: cursor }),
  annotations: LOOKS,
  handler: async (participant, query) => {
    const relay = await participant.relay();
    return replyJson(typed(await relay.history(defined(query))));
  },
});

export const listDms = defineTool({
  name: 'list_dms',
  description: 'List your direct and group conversations, latest first.',
  input: z.strictObject({ limit: limit(200, 20) }),
  annotations: LOOKS,
  handler: async (participant, options) => {
    const relay = await participant.relay();
    const conversations = await relay.conversations(options);
    return replyJson({
      conversations: conversations.map((each) => ({ ...each, last: withSenderType(each.last) })),
    });
  },
});

export const searchMessages = defineTool({
  name: 'search_messages',
  description:
    'Find messages that contain all the words, newest first. "Quote a phrase" to keep it together.',
  input: z.strictObject({
    query: z.string(),
    channel: z.string().optional(),
    from: z.string().optional(),
    limit: limit(100, 20),
  }),
  annotations: LOOKS,
  handler: async (participant, { query, ...options }) => {
    const relay = await participant.relay();
    const hits = await relay.search(query, defined(options));
    return replyJson({
      hits: hits.map(({ message, highlight }) => ({
        ...withSenderType(message),
        highlight: highlight.replace(FOUND, '**'),
      })),
    });
  },
});

const typed = <P extends { messages: Message[] }>(page: P) => ({
  ...page,
  messages: page.messages.map(withSenderType),
});

/** The text around the matches. */
const FOUND = /[\uE000\uE001]/g;
