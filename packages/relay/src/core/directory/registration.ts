import { hashSecret, newAgentToken, tokenIdOfHash } from '@agent-relay/platform/secrets';
import { isAgentToken, plainAgentName, RelayError, SYSTEM_AGENT } from '@agent-relay/protocol';
import { type Account, LOCAL } from '../governance/accounts.ts';
import type { Quotas } from '../governance/quotas.ts';
import type { Clock } from '../ports/clock.ts';
import type { Agent, NewAgent } from '../ports/store/agents.ts';
import type { AuditRecord } from '../ports/store/audit.ts';
import type { Run } from '../ports/store/runs.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import type { Store } from '../ports/store.ts';
import { type AgentNames, nameTaken } from './agent-names.ts';
import { handleOf, hasProfile, type Introduction, profileOf, standingOf } from './introduction.ts';
import type { OfferedTools } from './offered-tools.ts';
import type { Presence } from './presence.ts';

interface Parts {
  store: Store;
  clock: Clock;
  presence: Presence;
  names: AgentNames;
  quotas: Quotas;
  tools: OfferedTools;
  /** Called with a new agent that is removed when it is gone. */
  onEphemeral: (agent: Agent) => void;
}

/** The run that an agent is registered for, and the record that it was spawned. */
export interface NewWorker {
  run: Omit<Run, 'agentId'>;
  record: AuditRecord;
}

/** Identifies the agent of a connection: a known one by its token, or a new one. */
export class Registration {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #presence: Presence;
  readonly #names: AgentNames;
  readonly #quotas: Quotas;
  readonly #tools: OfferedTools;
  readonly #onEphemeral: (agent: Agent) => void;

  constructor({ store, clock, presence, names, quotas, tools, onEphemeral }: Parts) {
    this.#store = store;
    this.#clock = clock;
    this.#presence = presence;
    this.#names = names;
    this.#quotas = quotas;
    this.#tools = tools;
    this.#onEphemeral = onEphemeral;
  }

  /**
   * The agent of a connection: the holder of a known name's token, or a new name, registered now.
   * A new name may come with its own token, which the client stored first and cannot lose; otherwise one is
   * issued and returned, once.
   */
  async identify(
    workspace: Workspace,
    reference: string,
    introduction: Introduction,
  ): Promise<{ agent: Agent; issued?: string }> {
    const name = plainAgentName(reference);
    const { returning, token: shown = '' } = introduction;
    this.#tools.check(introduction.tools);
    const known = (returning && this.#holder(workspace, shown)) || this.#names.find(workspace.id, name);
    if (known) return { agent: await this.#returning(known, introduction) };
    return this.#register(workspace, name, introduction);
  }

  /** Registers an agent together with its run, so that there is never one without the other. */
  async registerWorker(
    workspace: Workspace,
    reference: string,
    introduction: Introduction,
    worker: NewWorker,
  ): Promise<Agent> {
    return (await this.#register(workspace, plainAgentName(reference), introduction, worker)).agent;
  }

  async #register(
    workspace: Workspace,
    name: string,
    introduction: Introduction,
    worker?: NewWorker,
  ): Promise<{ agent: Agent; issued?: string }> {
    const standing = standingOf(introduction);
    const rights = { isPerson: standing.type === 'human' };
    this.#names.checkNew(workspace.id, name, rights);
    const handle = handleOf(introduction, name);
    if (handle !== undefined) this.#names.checkNew(workspace.id, handle, rights);
    const token = introduction.token ?? newAgentToken();
    this.#checkNewToken(workspace, token);
    const profile = profileOf(introduction);
    this.#quotas.checkProfile(profile);
    const { account = LOCAL } = introduction;
    const agent = await this.#create(
      workspace,
      {
        ...profile,
        ...standing,
        account,
        ephemeral: introduction.ephemeral ?? false,
        attention: undefined,
        registeredBy: introduction.claim?.client,
        heldBy: introduction.heldBy,
        name,
        handle,
        tokenHash: hashSecret(token),
      },
      worker,
    );
    if (!agent) {
      const found = await this.#store.findAgent(workspace.id, name);
      const winner = found && this.#names.byId(found.id);
      if (winner && !worker) return { agent: await this.#returning(winner, introduction) };
      this.#names.checkNew(workspace.id, name, rights);
      throw new RelayError('NameTaken', `The name "${name}" is being registered by someone else.`);
    }
    if (agent.ephemeral) this.#onEphemeral(agent);
    await this.#tools.replace(agent, introduction.tools);
    return introduction.token === undefined ? { agent, issued: token } : { agent };
  }

  /** Registers the relay itself as a sender of notices; undefined if it is registered already. */
  async registerSystem(workspace: Workspace): Promise<Agent | undefined> {
    const agent = await this.#store.createAgent({
      ...profileOf({}),
      type: 'system',
      lead: false,
      grants: [],
      ephemeral: false,
      attention: undefined,
      registeredBy: undefined,
      heldBy: undefined,
      account: undefined,
      workspaceId: workspace.id,
      name: SYSTEM_AGENT,
      handle: undefined,
      tokenHash: hashSecret(newAgentToken()),
      createdAt: this.#clock.now(),
    });
    if (agent) this.#names.add(agent);
    return agent;
  }

  /** Throws if another session holds the agent: a name that a client chose is for one session at a time. */
  checkNotHeld(agent: Agent, { claim, returning }: Introduction): void {
    if (claim === undefined || !this.#presence.isHeldByOther(agent.id, claim.session, returning ?? false))
      return;
    throw new RelayError('NameInUse', `Another session is connected as "${agent.name}".`);
  }

  #checkNewToken(workspace: Workspace, token: string): void {
    if (!isAgentToken(token)) {
      throw new RelayError('InvalidRequest', 'token: must be at_ followed by 43 base64url characters.', {
        details: { field: 'token' },
      });
    }
    const other = this.#holder(workspace, token);
    if (other)
      throw new RelayError('Unauthorized', `The agent token belongs to "${other.name}".`, {
        next: `If the agent was renamed, use its name: ${other.name}. Otherwise use your own token.`,
      });
  }

  async #returning(agent: Agent, introduction: Introduction): Promise<Agent> {
    if (introduction.token === undefined || !this.#names.holdsToken(agent, hashSecret(introduction.token))) {
      throw new RelayError(
        'NameTaken',
        `The name "${agent.name}" is taken, and you did not present its token.`,
        // Lets a client find its token, stored under the agent's former name.
        { details: { tokenId: tokenIdOfHash(agent.tokenHash) } },
      );
    }
    const { claim, heldBy } = introduction;
    if (claim && agent.registeredBy !== claim.client)
      throw new RelayError('NameTaken', `The name "${agent.name}" belongs to another agent.`, {
        next: `Choose another name. To be ${agent.name}, the user sets RELAY_AGENT_NAME=${agent.name} for this client.`,
      });
    this.checkNotHeld(agent, introduction);
    if (heldBy !== undefined && heldBy !== agent.heldBy) await this.#takenOver(agent, heldBy);
    const profile = profileOf(introduction, agent);
    // An agent registered before there was a limit may exceed it.
    if (!hasProfile(agent, profile)) {
      this.#quotas.checkProfile(profile);
      await this.#store.updateAgent(agent.id, profile);
      Object.assign(agent, profile);
      this.#presence.offered(agent.id);
    }
    const handle = handleOf(introduction, agent.name);
    if (handle !== undefined && handle !== agent.handle) await this.#setHandle(agent, handle);
    await this.#tools.replace(agent, introduction.tools);
    return agent;
  }

  /** Registers a name within the account's quota; undefined if it is taken. */
  async #create(
    { id: workspaceId }: Workspace,
    described: Omit<NewAgent, 'workspaceId' | 'createdAt'> & { account: Account },
    worker: NewWorker | undefined,
  ): Promise<Agent | undefined> {
    const counted = this.#quotas.registering(workspaceId, described.account);
    try {
      const created = { ...described, workspaceId, createdAt: this.#clock.now() };
      const registered = this.#record(created, 'agent.registered', { client: described.heldBy });
      const agent = await this.#store.createAgent(created, {
        records: worker ? [registered, worker.record] : [registered],
        run: worker?.run,
      });
      if (agent) this.#names.add(agent);
      return agent;
    } finally {
      counted();
    }
  }

  async #setHandle(agent: Agent, handle: string): Promise<void> {
    this.#names.checkNew(agent.workspaceId, handle, { own: agent, isPerson: agent.type === 'human' });
    if (!(await this.#store.setHandle(agent.id, handle))) throw nameTaken(handle);
    if (!this.#names.byId(agent.id)) return;
    const before = agent.handle;
    this.#names.delete(agent);
    agent.handle = handle;
    this.#names.add(agent);
    this.#presence.tell(agent.workspaceId, { type: 'agent.changed', agent: agent.name });
    await this.#audit(agent, 'agent.changed', { handle, before });
  }

  /** Another client program is the agent now. */
  async #takenOver(agent: Agent, heldBy: string): Promise<void> {
    const before = agent.heldBy;
    agent.heldBy = heldBy;
    await this.#store.updateAgent(agent.id, { heldBy });
    await this.#audit(agent, 'agent.held', { client: heldBy, before });
  }

  #holder(workspace: Workspace, token: string): Agent | undefined {
    return this.#names.findByToken(workspace.id, hashSecret(token));
  }

  #audit(agent: Agent, action: string, detail: Record<string, unknown>): Promise<void> {
    return this.#store.appendAudit(this.#record(agent, action, detail));
  }

  #record(
    { workspaceId, name }: Pick<Agent, 'workspaceId' | 'name'>,
    action: string,
    detail: Record<string, unknown>,
  ): AuditRecord {
    return { workspaceId, at: this.#clock.now(), actor: name, action, subject: name, detail };
  }
}
