import type { HistoryMessage, RelayEvent } from '@agent-relay/sdk';

/** Applies an event to a message; returns the same object if it is about another one. */
export function changedMessage(message: HistoryMessage, event: RelayEvent): HistoryMessage {
  if (!('messageId' in event) || event.messageId !== message.id) return message;
  switch (event.type) {
    case 'message.redacted':
      return { ...message, content: '', redacted: true };
    case 'reaction.added':
    case 'reaction.removed':
      return { ...message, reactions: reactionsAfter(message.reactions ?? [], event) };
    default:
      return message;
  }
}

type ReactionEvent = Extract<RelayEvent, { type: 'reaction.added' | 'reaction.removed' }>;
type Reactions = NonNullable<HistoryMessage['reactions']>;

function reactionsAfter(reactions: Reactions, { type, emoji, agent }: ReactionEvent): Reactions {
  const isAdded = type === 'reaction.added';
  const others = reactions
    .map((known) =>
      known.emoji === emoji ? { ...known, agents: known.agents.filter((name) => name !== agent) } : known,
    )
    .filter(({ agents }) => agents.length > 0 || isAdded);
  if (!isAdded) return others;
  return others.some((known) => known.emoji === emoji)
    ? others.map((known) => (known.emoji === emoji ? { ...known, agents: [...known.agents, agent] } : known))
    : [...others, { emoji, agents: [agent] }];
}
