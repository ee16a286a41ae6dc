import type { RelayEvent } from '@agent-relay/sdk';

type EventType = RelayEvent['type'];

/** The project events the page listens to, besides messages, which it follows in order. */
export const PROJECT_EVENTS = [
  'message.redacted',
  'message.held',
  'delivery.accepted',
  'delivery.injected',
  'delivery.turn_started',
  'delivery.refused',
  'delivery.uncertain',
  'delivery.read',
  'delivery.acked',
  'path.changed',
  'reaction.added',
  'reaction.removed',
  'agent.online',
  'agent.offline',
  'agent.removed',
  'agent.renamed',
  'agent.changed',
  'channel.created',
  'channel.archived',
  'channel.opened',
  'channel.joined',
  'channel.left',
  'channel.topic',
  'session.started',
  'session.ready',
  'session.waiting',
  'session.resumed',
  'session.exited',
  'tools.changed',
  'prompt.changed',
  'servers.changed',
  'action.invoked',
  'action.completed',
  'action.failed',
] as const satisfies EventType[];

/** Events that carry the whole change: nothing has to be fetched again. */
export const QUIET_EVENTS: ReadonlySet<EventType> = new Set<EventType>([
  'message.redacted',
  'message.held',
  'reaction.added',
  'reaction.removed',
  'channel.created',
  'channel.topic',
  'servers.changed',
  'action.invoked',
  'action.completed',
  'action.failed',
]);
