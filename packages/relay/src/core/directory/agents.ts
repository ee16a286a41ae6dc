import { hashSecret, newAgentToken } from '@agent-relay/platform/secrets';
import {
  type AgentInfo,
  type Attention,
  categoriesOf,
  isAgentToken,
  nameKey,
  type OperationParams,
  RelayError,
  SYSTEM_AGENT,
} from '@agent-relay/protocol';
import type { Quotas } from '../governance/quotas.ts';
import type { Clock } from '../ports/clock.ts';
import type { Directory } from '../ports/directory.ts';
import type { Agent, AgentStanding } from '../ports/store/agents.ts';
import type { AuditRecord } from '../ports/store/audit.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import type { Store } from '../ports/store.ts';
import { AgentNames, nameTaken, unknownAgent } from './agent-names.ts';
import { handleOf, type Introduction } from './introduction.ts';
import type { OfferedTools } from './offered-tools.ts';
import type { Presence } from './presence.ts';
import { type NewWorker, Registration } from './registration.ts';

/** The owner as a participant; `token` keeps one where the owner's programs find it. */
interface Person {
  name: string;
  token(workspace: Workspace): Promise<string>;
}

/**
 * The agents of all workspaces, held in memory and written through to the store, so that addressing a message costs
 * no read.
 */
export class Agents {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #presence: Presence;
  readonly #goneAfterMs: number;
  readonly #background: (work: Promise<void>) => void;
  readonly #names: AgentNames;
  readonly #registration: Registration;
  readonly #quotas: Quotas;
  readonly #person: Person;
  readonly #tools: OfferedTools;
  /** Agents removed since the start: a read in progress may still find them in the store. */
  readonly #removed = new Set<number>();
  /** Called when an agent has been disconnected for a while. */
  onLeft: (agent: Agent) => void = () => undefined;
  /** Called when an agent was removed. */
  onRemoved: (agent: Agent) => void = () => undefined;

  /**
   * `personNames` are reserved for people, registered by the owner. `background` runs work that is not awaited, and
   * reports its errors.
   */
  constructor(
    store: Store,
    clock: Clock,
    presence: Presence,
    {
      person,
      personNames,
      directory,
      quotas,
      tools,
      background,
    }: {
      person: Person;
      personNames: readonly string[];
      directory: Directory;
      quotas: Quotas;
      tools: OfferedTools;
      background: (work: Promise<void>) => void;
    },
  ) {
    this.#store = store;
    this.#quotas = quotas;
    this.#person = person;
    this.#tools = tools;
    this.#names = new AgentNames(personNames, quotas.agents);
    this.#registration = new Registration({
      store,
      clock,
      presence,
      names: this.#names,
      quotas,
      tools,
      onEphemeral: (agent) => this.#collectUnlessItComes(agent),
    });
    this.#clock = clock;
    this.#presence = presence;
    this.#goneAfterMs = directory.goneAfterMs;
    this.#background = background;
    directory.onGone = (agentId, lastActivityAt) => {
      const agent = this.byId(agentId);
      if (agent) background(this.#left(agent, lastActivityAt));
    };
  }

  /** How to know the names of the daemon's MCP servers: no agent gets one. */
  set callHolder(callHolder: AgentNames['callHolder']) {
    this.#names.callHolder = callHolder;
  }

  /** Loads a workspace's agents; ephemeral ones from before a restart get time to reconnect. */
  async load(workspace: Workspace): Promise<void> {
    for (const agent of await this.#store.listAgents(workspace.id)) {
      // Keep the existing object of a known agent, which others hold.
      if (this.byId(agent.id) || this.#removed.has(agent.id)) continue;
      this.#names.add(agent);
      if (agent.ephemeral) this.#collectUnlessItComes(agent);
    }
  }

  /** Applies changes made by another daemon. */
  async refresh(workspace: Workspace): Promise<void> {
    const before = this.list(workspace);
    const stored = await this.#store.listAgents(workspace.id);
    const left = new Set(stored.map(({ id }) => id));
    for (const agent of before) {
      if (left.has(agent.id) || !this.byId(agent.id)) continue;
      this.#names.delete(agent);
      this.onRemoved(agent);
    }
    for (const agent of stored) {
      const known = this.byId(agent.id);
      if (!known) continue;
      this.#names.delete(known);
      this.#names.add(Object.assign(known, agent));
    }
    await this.load(workspace);
  }

  list(workspace: Workspace): Agent[] {
    return this.#names.list(workspace.id);
  }

  byId(id: number): Agent | undefined {
    return this.#names.byId(id);
  }

  find(workspace: Workspace, name: string): Agent | undefined {
    return this.#names.find(workspace.id, name);
  }

  get(workspace: Workspace, name: string): Agent {
    const agent = this.find(workspace, name);
    if (agent) return agent;
    throw unknownAgent(
      workspace,
      name,
      this.list(workspace).map((known) => known.name),
    );
  }

  /** The agent marked as lead, else the one that registered first. */
  lead(workspace: Workspace): Agent {
    const agents = this.list(workspace).sort((one, other) => one.id - other.id);
    const lead =
      agents.find((agent) => agent.lead) ??
      agents.find((agent) => !agent.ephemeral && agent.type !== 'system');
    if (lead) return lead;
    throw new RelayError('AgentNotFound', `Project ${workspace.name} has no agent that could be its lead.`);
  }

  /** The agent that holds a token, for a connection with only a token. */
  async byToken(token: string): Promise<Agent> {
    const found = isAgentToken(token) ? await this.#store.findAgentByToken(hashSecret(token)) : undefined;
    const agent = found && this.byId(found.id);
    if (!agent) throw new RelayError('Unauthorized', 'The agent token is not valid.');
    return agent;
  }

  /** The agent of a connection: see `Registration`. */
  identify(
    workspace: Workspace,
    reference: string,
    introduction: Introduction,
  ): Promise<{ agent: Agent; issued?: string }> {
    return this.#registration.identify(workspace, reference, introduction);
  }

  /** See `Registration`. */
  registerWorker(
    workspace: Workspace,
    reference: string,
    introduction: Introduction,
    worker: NewWorker,
  ): Promise<Agent> {
    return this.#registration.registerWorker(workspace, reference, introduction, worker);
  }

  /** Throws if another session holds the agent: a name that a client chose is for one session at a time. */
  checkNotHeld(agent: Agent, introduction: Introduction): void {
    this.#registration.checkNotHeld(agent, introduction);
  }

  /** Whether the token belongs to the agent and the agent still exists. */
  holdsToken(agent: Agent, token: string): boolean {
    return this.#names.holdsToken(agent, hashSecret(token));
  }

  /** The agent of the workspace that holds the token, whatever its name. */
  holder(workspace: Workspace, token: string): Agent | undefined {
    return this.#names.findByToken(workspace.id, hashSecret(token));
  }

  /** The owner's person, registered the first time. It needs no token: the owner is already known. */
  async person(workspace: Workspace): Promise<Agent> {
    const { name } = this.#person;
    const known = this.find(workspace, name);
    if (known) return known;
    const token = await this.#person.token(workspace);
    const { agent } = await this.identify(workspace, name, { token, type: 'human', byOwner: true });
    return agent;
  }

  isOwnersPerson({ type, name }: Agent): boolean {
    return type === 'human' && nameKey(name) === nameKey(this.#person.name);
  }

  /** The relay itself as a sender of notices; registered in a workspace on first use. */
  async system(workspace: Workspace): Promise<Agent> {
    const known = this.find(workspace, SYSTEM_AGENT);
    if (known) return known;
    return (await this.#registration.registerSystem(workspace)) ?? this.get(workspace, SYSTEM_AGENT);
  }

  async announce(
    agent: Agent,
    { capabilities, tools }: Pick<OperationParams<'ANNOUNCE'>, 'capabilities' | 'tools'>,
  ): Promise<void> {
    this.#tools.check(tools);
    this.#quotas.checkProfile({ ...agent, capabilities });
    await this.#store.updateAgent(agent.id, { capabilities });
    agent.capabilities = capabilities;
    await this.#tools.replace(agent, tools);
  }

  /** The fields only the owner can set. */
  async setStanding(agent: Agent, standing: AgentStanding): Promise<void> {
    await this.#store.updateAgent(agent.id, standing);
    Object.assign(agent, standing);
  }

  async setAttention(agent: Agent, attention: Attention | undefined): Promise<void> {
    await this.#store.updateAgent(agent.id, { attention });
    agent.attention = attention;
  }

  async rotateToken(agent: Agent, token: string = newAgentToken()): Promise<string> {
    if (!isAgentToken(token))
      throw new RelayError('InvalidRequest', 'token: not an agent token.', { details: { field: 'token' } });
    const tokenHash = hashSecret(token);
    await this.#store.updateAgent(agent.id, { tokenHash });
    if (this.byId(agent.id)) {
      this.#names.delete(agent);
      agent.tokenHash = tokenHash;
      this.#names.add(agent);
    }
    return token;
  }

  /** `record` is for the audit log. */
  async rename(agent: Agent, name: string, record: AuditRecord): Promise<void> {
    const workspaceId = agent.workspaceId;
    if (nameKey(name) !== nameKey(agent.name))
      this.#names.checkNew(workspaceId, name, { own: agent, isPerson: agent.type === 'human' });
    if (!(await this.#store.renameAgent(agent.id, name, record))) throw nameTaken(name);
    if (this.#removed.has(agent.id))
      throw new RelayError('AgentNotFound', `The agent "${agent.name}" was removed in the meantime.`);
    this.#names.delete(agent);
    agent.name = name;
    agent.handle = handleOf(agent, name);
    this.#names.add(agent);
  }

  async remove(agent: Agent): Promise<void> {
    // Dropped here before the store: an agent that is being removed must not reconnect.
    this.#removed.add(agent.id);
    this.#names.delete(agent);
    this.onRemoved(agent);
    await this.#store.removeAgent(agent.id, this.#clock.now());
  }

  /** All agents of a workspace that is being removed. */
  forgetAll(workspace: Workspace): void {
    for (const agent of this.list(workspace)) {
      this.#names.delete(agent);
      this.onRemoved(agent);
    }
    this.#names.deleteWorkspace(workspace.id);
  }

  /** Stores when the agent was last active, for `who` after a restart. */
  async #touch(agent: Agent, lastSeenAt: number): Promise<void> {
    agent.lastSeenAt = lastSeenAt;
    await this.#store.updateAgent(agent.id, { lastSeenAt });
  }

  describe(workspace: Workspace, agent: Agent): Omit<AgentInfo, 'paths'> {
    return {
      name: agent.name,
      ...(agent.handle === undefined ? {} : { handle: agent.handle }),
      type: agent.type,
      lead: agent.lead,
      project: workspace.name,
      capabilities: categoriesOf(agent.capabilities),
      mcpEnabled: agent.mcpEnabled,
      ...(agent.cli === undefined ? {} : { cli: agent.cli }),
      ...(agent.task === undefined ? {} : { task: agent.task }),
      ...(agent.attention === undefined ? {} : { attention: agent.attention }),
      ...(agent.grants.length === 0 ? {} : { grants: [...agent.grants] }),
      ...this.#presence.describe(agent),
    };
  }

  /** Removes ephemeral agents when they disconnect; stores the last-seen time of others. */
  async #left(agent: Agent, lastActivityAt: number): Promise<void> {
    this.onLeft(agent);
    // Removed while it was connected: another agent may have its name by now.
    if (!this.byId(agent.id)) return;
    return agent.ephemeral ? this.remove(agent) : this.#touch(agent, lastActivityAt);
  }

  /** An ephemeral agent may never connect: its connection was lost during registration, or the daemon restarted. */
  #collectUnlessItComes(agent: Agent): void {
    this.#clock.after(this.#goneAfterMs, () => {
      if (!this.#presence.isExpected(agent.id)) this.#background(this.#left(agent, agent.lastSeenAt));
    });
  }
}
