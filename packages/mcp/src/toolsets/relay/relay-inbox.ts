import { AUTHORITIES, quotedText, senderOf } from '@agent-relay/protocol';
import type { InboxMessage } from '@agent-relay/sdk';
import { z } from 'zod';
import { defined } from '../../framework/defined.ts';
import { reply } from '../../framework/result.ts';
import { type ShownMessage, shownMessage } from '../../framework/shown-message.ts';
import { ACTS, defineTool } from '../../framework/tool.ts';
import { relayWording } from './wording.ts';

const input = z.strictObject({
  limit: z.int().min(1).max(500).default(10),
  unread_only: z.boolean().default(true),
  from: z.string().optional().describe('Only from this agent'),
  channel: z.string().optional().describe('Only from this channel'),
});

export const relayInbox = defineTool({
  name: 'relay_inbox',
  description: 'Read your messages, oldest first. Marks them as read.',
  input,
  annotations: ACTS,
  showsInbox: true,
  handler: async (participant, { unread_only, ...filters }, call) => {
    const { messages, unread } = await participant.takeMessages(
      (relay) => relay.inbox({ ...defined(filters), unreadOnly: unread_only, markRead: false, take: true }),
      call,
    );
    const shown = messages.map((message) => shownMessage(message, relayWording, participant.name));
    return reply(inboxText(shown), { messages: shown, unread });
  },
});

function inboxText(messages: Array<ShownMessage<InboxMessage>>): string {
  if (messages.length === 0) return 'No messages in inbox.';
  return `${messages.length} message(s):\n\n${messages.map(messageText).join('\n\n---\n\n')}`;
}

function messageText(message: ShownMessage<InboxMessage>): string {
  const { id, from, channel, thread, importance, content, awaitsReply, answer } = message;
  const place = channel === undefined ? '' : ` [${channel}]`;
  const topic = thread === undefined ? '' : ` (thread: ${thread})`;
  const weight = importance === 'normal' ? '' : ` (${importance})`;
  const waiting = awaitsReply ? `${from} is waiting for your reply. ` : '';
  const answering = answer === undefined ? '' : `\n(${waiting}Reply with: ${answer})`;
  return `[${id}] From ${senderOf(message)}${speaker(message)}${place}${topic}${weight}:\n> ${quotedText(content)}${answering}`;
}

/** The authority of the sender, unless it is just another agent; an unverified name is shown separately. */
function speaker({ authority }: Partial<Pick<InboxMessage, 'authority'>>): string {
  // A daemon from before an update does not send it.
  if (authority === undefined || authority === 'peer' || authority === 'unverified') return '';
  return ` (${AUTHORITIES[authority].replace(/^from /, '')})`;
}
