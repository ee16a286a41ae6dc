import type { HistoryOptions, Message } from '@agent-relay/sdk';
import type { Route } from '../routes.ts';

/** A stream of messages to show, and whether the person can write to it. */
export type Conversation =
  | { kind: 'activity' }
  | { kind: 'channel'; channel: string }
  /** Between the person and these agents. */
  | { kind: 'direct'; others: string[] }
  /** Between these agents, without the person. */
  | { kind: 'between'; names: string[] };

export function conversationAt({ place, subject }: Route): Conversation | undefined {
  const names = subject.split(',').filter((name) => name !== '');
  if (place === 'activity') return { kind: 'activity' };
  if (place === 'channel' && subject !== '') return { kind: 'channel', channel: `#${subject}` };
  if (place === 'direct' && names.length > 0) return { kind: 'direct', others: names };
  if (place === 'between' && names.length > 0) return { kind: 'between', names };
  return undefined;
}

/** A unique key of the place. */
export const keyOf = (conversation: Conversation): string => JSON.stringify(conversation);

/** The query that reads it. */
export function queryOf(conversation: Conversation, me: string): HistoryOptions {
  switch (conversation.kind) {
    case 'activity':
      return {};
    case 'channel':
      return { channel: conversation.channel };
    case 'direct':
      return { participants: [me, ...conversation.others] };
    case 'between':
      return { participants: conversation.names };
  }
}

/** Whether a new message belongs to it. */
export function isIn(message: Message, conversation: Conversation, me: string): boolean {
  switch (conversation.kind) {
    case 'activity':
      return true;
    case 'channel':
      return message.channel === conversation.channel;
    case 'direct':
      return isOf(message, [me, ...conversation.others]);
    case 'between':
      return isOf(message, conversation.names);
  }
}

/** Whether it is a direct message between exactly these. */
function isOf({ channel, group, from, to }: Message, names: string[]): boolean {
  if (channel !== undefined || to === '*') return false;
  const participants = new Set(group ?? [from, to]);
  return participants.size === new Set(names).size && names.every((name) => participants.has(name));
}

/** The place of a message, for links to it. */
export function placeOf({ channel, group, from, to }: Message, me: string): Pick<Route, 'place' | 'subject'> {
  if (channel !== undefined) return { place: 'channel', subject: channel.slice(1) };
  if (to === '*' || to.includes(':')) return { place: 'activity', subject: '' };
  const names = [...new Set(group ?? [from, to])];
  const others = names.filter((name) => name !== me);
  if (others.length < names.length) return { place: 'direct', subject: others.join(',') || me };
  return { place: 'between', subject: names.sort().join(',') };
}
