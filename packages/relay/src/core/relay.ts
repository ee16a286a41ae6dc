import { idMaker } from '@agent-relay/protocol';
import type { Invocations } from './calls/actions/invocations.ts';
import type { ConsentAnswers } from './calls/asking/consent-answers.ts';
import { assembleCalls } from './calls/assemble.ts';
import type { Callees } from './calls/callees.ts';
import type { Calls } from './calls/calls.ts';
import type { ServedTools } from './calls/served-tools.ts';
import type { CallTargets } from './calls/targets.ts';
import { AcceptedDeliveries } from './delivery/accepted.ts';
import { Awaits } from './delivery/awaits.ts';
import { Claims } from './delivery/claims.ts';
import { Deliveries } from './delivery/deliveries.ts';
import { Fanout } from './delivery/fanout.ts';
import { HookedAgents } from './delivery/hooked-agents.ts';
import { Mailboxes } from './delivery/mailboxes.ts';
import { StoredOrder } from './delivery/stored-order.ts';
import { Waiters } from './delivery/waiters.ts';
import { Agents } from './directory/agents.ts';
import { Channels } from './directory/channels.ts';
import { Connections } from './directory/connections.ts';
import { OfferedTools } from './directory/offered-tools.ts';
import { Presence } from './directory/presence.ts';
import { Workspaces } from './directory/workspaces.ts';
import { type AttachmentLimits, Attachments } from './files/attachments.ts';
import { Governor, type GovernorLimits } from './governance/governor.ts';
import { HeldMessages } from './governance/held.ts';
import { HeldReleases } from './governance/held-releases.ts';
import { sendPauseNotices } from './governance/pause-notices.ts';
import { type QuotaLimits, Quotas } from './governance/quotas.ts';
import { type RateLimit, SendRates } from './governance/send-rates.ts';
import { actOnNews } from './news.ts';
import type { Bus } from './ports/bus.ts';
import type { Clock } from './ports/clock.ts';
import type { Directory } from './ports/directory.ts';
import type { Workspace } from './ports/store/workspaces.ts';
import type { Store } from './ports/store.ts';
import { Addressing } from './reading/addressing.ts';
import { Descriptions } from './reading/descriptions.ts';
import { Messages } from './sending/messages.ts';
import { Routes } from './sending/routes.ts';
import { PageSessions, type SignInLimits } from './sign-in/page-sessions.ts';
import { type TerminalOptions, Terminals } from './terminals/terminals.ts';

export interface RelayOptions {
  store: Store;
  clock: Clock;
  bus: Bus;
  directory: Directory;
  /** A number from 0 to 1, for ids. */
  random: () => number;
  maxBodyBytes: number;
  idleAfterMs: number;
  rateLimit: RateLimit;
  governor: GovernorLimits;
  attachments: AttachmentLimits;
  quotas: QuotaLimits;
  signIn: SignInLimits;
  /** The owner as a participant: the name, and the token kept for it where the owner's programs find it. */
  person: { name: string; token(workspace: Workspace): Promise<string> };
  terminals: TerminalOptions;
  /** Names reserved for people, registered only by the owner. */
  personNames: readonly string[];
  /** Identifies this daemon among those that share the store, also after a restart. */
  node: string;
  /** Called with errors of background work. */
  onError: (error: unknown) => void;
}

/** The assembled domain. It does no I/O: the store, the clock and the connections are passed in. */
export interface Relay {
  readonly store: Store;
  readonly clock: Clock;
  readonly bus: Bus;
  /** A new id with the given prefix. */
  readonly newId: (word: string) => string;
  readonly workspaces: Workspaces;
  readonly pageSessions: PageSessions;
  readonly quotas: Quotas;
  readonly rates: SendRates;
  readonly agents: Agents;
  readonly tools: OfferedTools;
  readonly served: ServedTools;
  readonly calls: Calls;
  readonly callees: Callees;
  readonly consentAnswers: ConsentAnswers;
  readonly targets: CallTargets;
  readonly invocations: Invocations;
  readonly channels: Channels;
  readonly presence: Presence;
  readonly messages: Messages;
  readonly descriptions: Descriptions;
  readonly addressing: Addressing;
  readonly accepted: AcceptedDeliveries;
  readonly mailboxes: Mailboxes;
  readonly hooked: HookedAgents;
  readonly claims: Claims;
  readonly deliveries: Deliveries;
  readonly attachments: Attachments;
  readonly awaits: Awaits;
  readonly waiters: Waiters;
  readonly held: HeldMessages;
  readonly heldReleases: HeldReleases;
  readonly fanout: Fanout;
  readonly order: StoredOrder;
  readonly terminals: Terminals;
  createWorkspace(name: string): Promise<Workspace>;
  /** The workspace of a directory, created the first time (see `Workspaces.openFor`). */
  openProject(root: string, name: string | undefined): Promise<{ workspace: Workspace; created: boolean }>;
  /** Loads agents and channels that were written to the store directly. */
  reload(workspace: Workspace): Promise<void>;
  removeWorkspace(workspace: Workspace): Promise<void>;
  /** Stops listening to other daemons; resolves when pending news is handled and background work is done. */
  close(): Promise<void>;
}

export async function createRelay(options: RelayOptions): Promise<Relay> {
  const { store, clock, bus, directory } = options;
  /** Work that is not awaited. */
  const working = new Set<Promise<void>>();
  const background = (work: Promise<void>): Promise<void> => {
    const done = work.catch(options.onError).finally(() => working.delete(done));
    working.add(done);
    return done;
  };
  const newId = idMaker(() => clock.now(), options.random);
  const workspaces = await Workspaces.load(store, clock);
  const connections = new Connections();
  const presence = new Presence({ bus, directory, connections, idleAfterMs: options.idleAfterMs });
  const quotas = new Quotas(options.quotas);
  const tools = new OfferedTools(store, quotas);
  const pageSessions = new PageSessions({ store, clock, workspaces, presence, limits: options.signIn });
  const { person, personNames } = options;
  const agents = new Agents(store, clock, presence, {
    person,
    personNames,
    directory,
    quotas,
    tools,
    background,
  });
  const channels = new Channels(store, clock, agents, quotas);
  const descriptions = new Descriptions(agents, workspaces);
  const accepted = new AcceptedDeliveries(clock);
  const waiters = new Waiters(clock);
  const mailboxes = new Mailboxes(accepted);
  presence.isBusy = (agentId) => mailboxes.of(agentId)?.isBusy;
  const claims = new Claims({ store, clock, mailboxes, presence, background });
  const hooked = new HookedAgents(clock);
  const knowledge = { mailboxes, hooked, claims, accepted, waiters };
  const deliveries = new Deliveries({ store, clock, agents, presence, ...knowledge });
  const attachments = new Attachments({ store, clock, newId, limits: options.attachments, quotas });
  const awaits = new Awaits(clock);
  const rates = new SendRates(clock, options.rateLimit);
  const governor = new Governor(clock, options.governor);
  const held = new HeldMessages(store, clock, presence);
  const routes = new Routes(store, workspaces, agents, channels);
  const messages = new Messages({
    store,
    clock,
    newId,
    agents,
    presence,
    attachments,
    descriptions,
    rates,
    governor,
    held,
    routes,
    isWoken: (agentId) => deliveries.pathsOf(agentId).some(({ state }) => state !== 'away'),
    maxBodyBytes: options.maxBodyBytes,
  });
  const heldReleases = new HeldReleases(agents, messages, held, governor);
  const terminals = new Terminals(
    {
      store,
      clock,
      newId,
      directory,
      presence,
      agents,
      channels,
      workspaces,
      messages,
      claims,
      quotas,
      rates,
      background,
    },
    options.terminals,
  );
  const addressing = new Addressing({ agents, runs: terminals.runs, descriptions });
  const order = new StoredOrder(store.isShared);
  const fanout = new Fanout({ connections, awaits, waiters, mailboxes, accepted, order });

  const { served, callees, targets, calls, consentAnswers, invocations } = assembleCalls({
    ...{ store, clock, bus, directory, newId, agents, channels, workspaces, presence, tools, quotas, rates },
    ...{ messages, awaits, deliveries, background },
    node: options.node,
    onError: options.onError,
  });
  await invocations.loseOpen();

  routes.refusesReply = (message) => consentAnswers.refusal(message);
  awaits.onAnswered = ({ waiter, message: question }, { seq }) =>
    background(store.noteAnswer({ recipientId: waiter.id, seq, question: question.seq }));
  messages.onPaused = (workspace, paused, reason) => sendPauseNotices(messages, workspace, paused, reason);
  messages.onStored = (stored) => bus.publish({ kind: 'stored', stored });
  channels.onJoined = ({ workspaceId, name }, agent) =>
    presence.tell(workspaceId, { type: 'channel.joined', channel: `#${name}`, agent: agent.name });
  agents.onLeft = (agent) => attachments.left(agent.id);
  agents.onRemoved = (agent) => {
    attachments.left(agent.id);
    channels.forget(agent.id);
    accepted.forget(agent.id);
    claims.forget(agent.id);
    rates.forget(agent.id);
    governor.release(agent.id);
    terminals.forget(agent);
  };
  const loadShared = async (workspace: Workspace): Promise<void> => {
    await agents.load(workspace);
    await channels.load(workspace);
    await held.load(workspace);
    order.heard(await store.lastSeq(workspace.id));
  };
  const load = async (workspace: Workspace): Promise<Workspace> => {
    await loadShared(workspace);
    await terminals.load(workspace);
    await consentAnswers.closeLost(workspace);
    return workspace;
  };
  const forget = (workspace: Workspace): void => {
    agents.forgetAll(workspace);
    channels.forgetAll(workspace);
    held.forgetAll(workspace);
  };
  workspaces.onChanged = () => bus.publish({ kind: 'workspaces' });
  // Its terminals are the other daemon's.
  workspaces.onFound = loadShared;
  workspaces.onGone = forget;
  for (const workspace of workspaces.list()) await load(workspace);
  const { onError } = options;
  const news = actOnNews(bus, {
    ...{ workspaces, agents, channels, connections, fanout },
    ...{ calls, callees, consentAnswers, invocations, onError },
  });

  return {
    store,
    clock,
    bus,
    newId,
    workspaces,
    pageSessions,
    quotas,
    rates,
    agents,
    tools,
    served,
    calls,
    callees,
    consentAnswers,
    targets,
    invocations,
    channels,
    presence,
    messages,
    descriptions,
    addressing,
    accepted,
    mailboxes,
    hooked,
    claims,
    deliveries,
    attachments,
    awaits,
    waiters,
    held,
    heldReleases,
    fanout,
    order,
    terminals,
    createWorkspace: async (name) => load(await workspaces.create(name)),
    openProject: async (root, name) => {
      const opened = await workspaces.openFor(root, name);
      if (opened.created) await load(opened.workspace);
      return opened;
    },
    close: async () => {
      news.stop();
      await claims.settled();
      await news.settled();
      while (working.size > 0) await Promise.all(working);
    },
    reload: async (workspace) => void (await load(workspace)),
    removeWorkspace: async (workspace) => {
      forget(workspace);
      await workspaces.remove(workspace);
    },
  };
}
