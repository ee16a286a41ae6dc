import type { Invocations } from './calls/actions/invocations.ts';
import type { ConsentAnswers } from './calls/asking/consent-answers.ts';
import type { Callees } from './calls/callees.ts';
import type { Calls } from './calls/calls.ts';
import type { Fanout } from './delivery/fanout.ts';
import type { Agents } from './directory/agents.ts';
import type { Channels } from './directory/channels.ts';
import type { Connections } from './directory/connections.ts';
import type { Workspaces } from './directory/workspaces.ts';
import type { Bus, News } from './ports/bus.ts';

interface Parts {
  workspaces: Workspaces;
  agents: Agents;
  channels: Channels;
  connections: Connections;
  fanout: Fanout;
  calls: Calls;
  callees: Callees;
  consentAnswers: ConsentAnswers;
  invocations: Invocations;
  onError: (error: unknown) => void;
}

type EventNews = Extract<News, { kind: 'event' }>;

interface Listening {
  stop(): void;
  /** Resolves when the known changes of other daemons are loaded. */
  settled(): Promise<void>;
}

/** Tells this daemon's connections what happened here or at another daemon, and keeps the directory true. */
export function actOnNews(bus: Bus, parts: Parts): Listening {
  const {
    workspaces,
    agents,
    channels,
    connections,
    fanout,
    calls,
    callees,
    consentAnswers,
    invocations,
    onError,
  } = parts;

  const refresh = async (workspaceId: number): Promise<void> => {
    const workspace = workspaces.list().find(({ id }) => id === workspaceId);
    if (!workspace) return;
    await agents.refresh(workspace);
    await channels.load(workspace);
  };
  let refreshing = Promise.resolve();
  const refreshWith = (work: () => Promise<void>): void => {
    refreshing = refreshing.then(work).catch(onError);
  };

  const heardEvent = ({ event, audience }: EventNews, isOwn: boolean): void => {
    connections.tell(audience, event);
    if (audience.kind !== 'workspace') return;
    const { workspaceId } = audience;
    if (event.type === 'agent.offline' || event.type === 'agent.removed')
      calls.left(workspaceId, event.agent, event.type === 'agent.removed');
    const changesDirectory = /^(agent|channel)\./.test(event.type);
    if (!isOwn && changesDirectory) refreshWith(() => refresh(workspaceId));
  };

  const stop = bus.subscribe((news, isOwn) => {
    if (news.kind === 'stored') fanout.stored(news.stored);
    else if (news.kind === 'event') heardEvent(news, isOwn);
    else if (news.kind === 'workspaces') {
      if (!isOwn) refreshWith(() => workspaces.refresh());
    } else if (news.kind === 'call') {
      callees.heard(news.call, isOwn);
      calls.heard(news.call);
      consentAnswers.heard(news.call);
    } else if (news.kind === 'invocation') invocations.ended(news.invocation);
    else if (news.kind === 'inserted') fanout.inserted(news.workspaceId, news.delivered);
    else connections.end(news.connections);
  });
  return { stop, settled: () => refreshing };
}
