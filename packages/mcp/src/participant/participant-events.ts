import type { EventEmitter } from 'node:events';
import type { Relay } from '@agent-relay/sdk';
import { RECORDED, type RecentEvents } from './recent-events.ts';

export interface ParticipantEvents {
  /** A message arrived. */
  inbox: [];
  /** Something was added to the recent events. */
  happened: [];
  /** The agents changed: this one, or any number of them. */
  agents: [agent?: string];
  /** Channels or their members changed. */
  channels: [];
  /** The actions that the session may invoke changed. */
  actions: [];
  /** Connected, for the first time or again. */
  connected: [];
  /** The connection to the relay was lost. */
  unreachable: [error: unknown];
  /** The relay closed the connection permanently: the key was revoked or the token replaced. */
  refused: [];
}

const AGENT_EVENTS = [
  'agent.online',
  'agent.offline',
  'agent.removed',
  'agent.renamed',
  'agent.changed',
  'tools.changed',
] as const;
const CHANNEL_EVENTS = [
  'channel.created',
  'channel.archived',
  'channel.opened',
  'channel.joined',
  'channel.left',
  'channel.topic',
] as const;

/** After these events, the actions that an agent may invoke may have changed. */
const ACTION_EVENTS = [
  'tools.changed',
  'agent.changed',
  'agent.renamed',
  'channel.joined',
  'channel.left',
  'events.missed',
] as const;

interface Followed {
  recent: RecentEvents;
  mailArrived: () => void;
  actionsMayHaveChanged: () => void;
}

/** Turns the events of a connection into those of its participant. */
export function forwardEvents(
  relay: Relay,
  events: EventEmitter<ParticipantEvents>,
  { recent, mailArrived, actionsMayHaveChanged }: Followed,
): void {
  const mail = () => {
    mailArrived();
    events.emit('inbox');
  };
  relay.on('mail.arrived', mail);
  for (const [kind, types] of RECORDED)
    for (const type of types)
      relay.on(type, (event) => {
        recent.add(kind, event);
        events.emit('happened');
      });
  // Messages that a lost path had claimed are unread again.
  relay.on('path.changed', ({ agent, state }) => {
    if (agent === relay.name && state === 'away') mail();
  });
  for (const event of AGENT_EVENTS) relay.on(event, ({ agent }) => events.emit('agents', agent));
  for (const event of ACTION_EVENTS) relay.on(event, actionsMayHaveChanged);
  for (const event of CHANNEL_EVENTS) relay.on(event, () => events.emit('channels'));
  relay.on('events.missed', () => {
    mail();
    events.emit('agents');
    events.emit('channels');
  });
}
