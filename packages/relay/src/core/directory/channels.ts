import {
  type ChannelInfo,
  GENERAL_CHANNEL,
  nameKey,
  nearNames,
  parseChannelName,
  RelayError,
} from '@agent-relay/protocol';
import { accountIn, accountOf } from '../governance/accounts.ts';
import type { Quotas } from '../governance/quotas.ts';
import type { Clock } from '../ports/clock.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { Channel, ChannelStore } from '../ports/store/channels.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import { actorName, type Principal } from '../principal.ts';
import type { Agents } from './agents.ts';

interface NewChannel {
  name: string;
  createdBy: string;
  topic?: string | undefined;
  account?: string;
}

/** The channels of all workspaces and who is in them, held in memory and written through to the store. */
export class Channels {
  readonly #store: ChannelStore;
  readonly #clock: Clock;
  readonly #agents: Agents;
  readonly #quotas: Quotas;
  readonly #byWorkspace = new Map<number, Map<string, Channel>>();
  readonly #members = new Map<number, Set<number>>();
  /** Called when an agent joined a channel, in whatever way. */
  onJoined: (channel: Channel, agent: Agent) => void = () => undefined;

  constructor(store: ChannelStore, clock: Clock, agents: Agents, quotas: Quotas) {
    this.#store = store;
    this.#clock = clock;
    this.#agents = agents;
    this.#quotas = quotas;
  }

  /** Loads a workspace's channels, and creates #general if it is missing. */
  async load(workspace: Workspace): Promise<void> {
    const channels = await this.#store.listChannels(workspace.id);
    const memberships = await this.#store.listMemberships(workspace.id);
    for (const channel of channels) this.#remember(channel);
    for (const { channelId, agentId } of memberships) this.#members.get(channelId)?.add(agentId);
    if (this.find(workspace, GENERAL_CHANNEL)) return;
    const general = { name: GENERAL_CHANNEL, createdBy: 'relay' };
    // Another daemon that opens the workspace may have been first.
    if (!(await this.#createUnlessTaken(workspace, general))) await this.load(workspace);
  }

  list(workspace: Workspace): Channel[] {
    return [...(this.#byWorkspace.get(workspace.id)?.values() ?? [])];
  }

  find(workspace: Workspace, name: string): Channel | undefined {
    return this.#byWorkspace.get(workspace.id)?.get(nameKey(parseChannelName(name)));
  }

  get(workspace: Workspace, name: string): Channel {
    const channel = this.find(workspace, name);
    if (channel) return channel;
    const suggestions = nearNames(
      parseChannelName(name),
      this.list(workspace).map((known) => known.name),
    ).map((near) => `#${near}`);
    const hint = suggestions.length > 0 ? ` Did you mean ${suggestions.join(', ')}?` : '';
    throw new RelayError(
      'ChannelNotFound',
      `No channel #${parseChannelName(name)} exists in project ${workspace.name}.${hint}`,
      { details: { suggestions } },
    );
  }

  /** Creates a channel. Those of an agent count for its account; the owner can create any number. */
  async create(principal: Principal, name: string, topic: string | undefined): Promise<Channel> {
    const { workspace, agent } = principal;
    const described = { name: parseChannelName(name), topic, createdBy: actorName(principal) };
    if (this.find(workspace, name)) throw channelExists(name);
    if (!agent) return this.#create(workspace, described);
    const account = accountOf(agent);
    const counted = this.#quotas.creatingChannel(workspace.id, account);
    try {
      return await this.#create(workspace, { ...described, account });
    } finally {
      counted();
    }
  }

  isGeneral(channel: Channel): boolean {
    return nameKey(channel.name) === GENERAL_CHANNEL;
  }

  isMember(channel: Channel, agentId: number): boolean {
    return this.isGeneral(channel) || (this.#members.get(channel.id)?.has(agentId) ?? false);
  }

  /** True if the agent was not a member before. */
  async join(channel: Channel, agent: Agent): Promise<boolean> {
    this.requireOpen(channel);
    if (this.isMember(channel, agent.id)) return false;
    if (!(await this.#store.addMember(channel.id, agent.id, this.#clock.now()))) return false;
    this.#members.get(channel.id)?.add(agent.id);
    this.onJoined(channel, agent);
    return true;
  }

  async leave(channel: Channel, agent: Agent): Promise<boolean> {
    if (this.isGeneral(channel)) {
      throw new RelayError('Forbidden', 'You cannot leave #general; everyone is in it.', {
        next: 'Ignore its messages if they do not concern you.',
      });
    }
    this.#members.get(channel.id)?.delete(agent.id);
    return this.#store.removeMember(channel.id, agent.id);
  }

  async #create(workspace: Workspace, described: NewChannel): Promise<Channel> {
    const channel = await this.#createUnlessTaken(workspace, described);
    if (!channel) throw channelExists(described.name);
    return channel;
  }

  async #createUnlessTaken(
    { id: workspaceId }: Workspace,
    { topic, account, ...named }: NewChannel,
  ): Promise<Channel | undefined> {
    const createdAt = this.#clock.now();
    const channel = await this.#store.createChannel({ ...named, topic, account, workspaceId, createdAt });
    return channel && this.#remember(channel);
  }

  async setTopic(channel: Channel, topic: string): Promise<void> {
    await this.#store.updateChannel(channel.id, { topic });
    channel.topic = topic;
  }

  async archive(channel: Channel, archived: boolean): Promise<void> {
    if (this.isGeneral(channel)) throw new RelayError('Forbidden', '#general cannot be archived.');
    const archivedAt = archived ? this.#clock.now() : null;
    await this.#store.updateChannel(channel.id, { archivedAt });
    channel.archivedAt = archivedAt ?? undefined;
  }

  requireOpen(channel: Channel): void {
    if (channel.archivedAt === undefined) return;
    throw new RelayError('ChannelArchived', `#${channel.name} is archived.`);
  }

  members(workspace: Workspace, channel: Channel): Agent[] {
    const all = this.#agents.list(workspace).filter(({ type }) => type !== 'system');
    return this.isGeneral(channel)
      ? all
      : all.filter((agent) => this.#members.get(channel.id)?.has(agent.id));
  }

  /** The number of members, counted without visiting every agent. */
  #countMembers(workspace: Workspace, channel: Channel): number {
    if (this.isGeneral(channel)) return this.members(workspace, channel).length;
    return this.#members.get(channel.id)?.size ?? 0;
  }

  /** All channels of a workspace that is being removed. */
  forgetAll(workspace: Workspace): void {
    for (const { id, account } of this.list(workspace)) {
      this.#members.delete(id);
      if (account !== undefined) this.#quotas.channels.add(accountIn(workspace.id, account), -1);
    }
    this.#byWorkspace.delete(workspace.id);
  }

  /** An agent was removed: it leaves all channels. */
  forget(agentId: number): void {
    for (const members of this.#members.values()) members.delete(agentId);
  }

  describe(workspace: Workspace, channel: Channel, viewer: Agent | undefined): ChannelInfo {
    const { topic, archivedAt } = channel;
    return {
      name: `#${channel.name}`,
      members: this.#countMembers(workspace, channel),
      joined: viewer !== undefined && this.isMember(channel, viewer.id),
      createdBy: channel.createdBy,
      createdAt: channel.createdAt,
      ...(topic === undefined ? {} : { topic }),
      ...(archivedAt === undefined ? {} : { archivedAt }),
    };
  }

  #remember(channel: Channel): Channel {
    const { workspaceId, account } = channel;
    const channels = this.#byWorkspace.get(workspaceId) ?? new Map<string, Channel>();
    const isNew = !channels.has(nameKey(channel.name));
    if (isNew && account !== undefined) this.#quotas.channels.add(accountIn(workspaceId, account));
    this.#byWorkspace.set(workspaceId, channels.set(nameKey(channel.name), channel));
    if (!this.#members.has(channel.id)) this.#members.set(channel.id, new Set());
    return channel;
  }
}

const channelExists = (name: string): RelayError =>
  new RelayError('ChannelExists', `The channel #${parseChannelName(name)} already exists.`);
