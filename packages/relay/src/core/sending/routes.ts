import { type Address, formatAddress, nameKey, parseAddress, RelayError } from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { Channels } from '../directory/channels.ts';
import type { Workspaces } from '../directory/workspaces.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { StoredMessage } from '../ports/store/messages.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import type { Store } from '../ports/store.ts';
import { isUsersOwn } from '../principal.ts';
import type { Route, Submission } from './submission.ts';

/** Resolves addresses to agents, channels and projects, and checks who may write where. */
export class Routes {
  readonly #store: Store;
  readonly #workspaces: Workspaces;
  readonly #agents: Agents;
  readonly #channels: Channels;

  /** Why a question of the relay takes no reply any more. */
  refusesReply: (message: StoredMessage) => RelayError | undefined = () => undefined;

  constructor(store: Store, workspaces: Workspaces, agents: Agents, channels: Channels) {
    this.#store = store;
    this.#workspaces = workspaces;
    this.#agents = agents;
    this.#channels = channels;
  }

  /** Synchronous where possible: most messages need no read. */
  find(submission: Submission): Route | Promise<Route> {
    const { to, replyTo } = submission.params;
    if (replyTo !== undefined) return this.#reply(submission, replyTo);
    if (to === undefined) {
      throw new RelayError('InvalidRequest', 'to: a message needs a recipient, or replyTo.', {
        details: { field: 'to' },
      });
    }
    return this.#direct(submission, to);
  }

  /** `*:*`: one route per project, for people and leads. */
  everywhere({ principal, sender }: Submission): Route[] {
    if (!isUsersOwn(principal) || (sender.type !== 'human' && !sender.lead)) {
      throw new RelayError(
        'Forbidden',
        'Only people and leads on this machine may write to every project (*:*).',
      );
    }
    return this.#workspaces.list().map((workspace) => this.#broadcast(workspace));
  }

  #direct({ principal, sender }: Submission, to: string | string[]): Route | Promise<Route> {
    if (typeof to !== 'string') return this.#group(principal.workspace, sender, to);
    const address = parseAddress(to);
    const { project } = address;
    if (project === undefined || nameKey(project) === nameKey(principal.workspace.name)) {
      return this.#inWorkspace(principal.workspace, sender, address);
    }
    if (isUsersOwn(principal)) return this.#inWorkspace(this.#workspaces.get(project), sender, address);
    return this.#withGrant(project, sender, address);
  }

  async #withGrant(project: string, sender: Agent, address: Address): Promise<Route> {
    const workspace = this.#workspaces.find(project);
    // Without a grant, existing and missing projects get the same error.
    if (workspace && (await this.#store.hasGrant(sender.id, workspace.id))) {
      return this.#inWorkspace(workspace, sender, address);
    }
    throw new RelayError('Forbidden', `${sender.name} may not write to ${formatAddress(address)}.`, {
      next: `The owner allows it with: agent-relay workspace grant ${sender.name} ${project}`,
    });
  }

  #inWorkspace(workspace: Workspace, sender: Agent, { target }: Address): Route | Promise<Route> {
    switch (target.kind) {
      case 'agent':
        return this.toAgent(sender, this.#agents.get(workspace, target.name));
      case 'lead':
        return this.toAgent(sender, this.#agents.lead(workspace));
      case 'all':
        return this.#broadcast(workspace);
      case 'channel':
        return this.#toChannel(workspace, sender, target.name);
    }
  }

  /** A direct message is kept in the recipient's workspace. */
  toAgent(sender: Agent, recipient: Agent): Route {
    const workspace = this.#workspaces.byId(recipient.workspaceId);
    const key = conversationKey([sender.id, recipient.id]);
    return {
      workspace,
      conversation: { kind: 'dm', key },
      audience: { kind: 'agents', ids: [recipient.id] },
      to: recipient.name,
      recipient,
    };
  }

  #broadcast(workspace: Workspace): Route {
    return {
      workspace,
      conversation: { kind: 'broadcast', key: '*' },
      audience: { kind: 'workspace' },
      to: '*',
    };
  }

  /** Writing to a channel of the own project joins it. */
  #toChannel(workspace: Workspace, sender: Agent, name: string): Route | Promise<Route> {
    const channel = this.#channels.get(workspace, name);
    this.#channels.requireOpen(channel);
    const shown = `#${channel.name}`;
    const route: Route = {
      workspace,
      conversation: { kind: 'channel', key: `#${nameKey(channel.name)}` },
      audience: { kind: this.#channels.isGeneral(channel) ? 'workspace' : 'members' },
      to: shown,
      channel: shown,
    };
    if (sender.workspaceId !== workspace.id || this.#channels.isMember(channel, sender.id)) return route;
    return this.#channels.join(channel, sender).then(() => route);
  }

  #group(workspace: Workspace, sender: Agent, names: string[]): Route {
    const others = new Map(
      names.map((name) => this.#agents.get(workspace, name)).map((agent) => [agent.id, agent]),
    );
    others.delete(sender.id);
    if (others.size === 0)
      throw new RelayError('InvalidRequest', 'to: a group needs at least one other agent.', {
        details: { field: 'to' },
      });
    return this.#toOthers(workspace, sender, [...others.values()]);
  }

  /** Two members are a direct conversation, more are a group. */
  #toOthers(workspace: Workspace, sender: Agent, others: Agent[]): Route {
    const [first, ...rest] = others;
    if (!first) throw new RelayError('AgentNotFound', 'All other members of the group were removed.');
    return rest.length === 0 ? this.toAgent(sender, first) : this.#toGroup(workspace, sender, others);
  }

  #toGroup(workspace: Workspace, sender: Agent, others: Agent[]): Route {
    const group = [sender, ...others].map((agent) => agent.name).sort();
    const ids = others.map((agent) => agent.id);
    return {
      workspace,
      conversation: { kind: 'group', key: conversationKey([sender.id, ...ids]) },
      audience: { kind: 'agents', ids },
      to: others
        .map((agent) => agent.name)
        .sort()
        .join(', '),
      group,
    };
  }

  /** A reply goes to the conversation of its message, unless it has an address, and stays in its thread. */
  async #reply(submission: Submission, replyTo: string): Promise<Route> {
    const { principal, sender, params } = submission;
    const parent = await this.#store.visibleMessage(sender.id, principal.workspace.id, replyTo);
    if (!parent)
      throw new RelayError('MessageNotFound', `There is no message ${replyTo}, or you cannot see it.`);
    const refusal = sender.type === 'system' ? undefined : this.refusesReply(parent);
    if (refusal && !(await this.#store.hasSent(sender.id, submission.clientId))) throw refusal;
    const route =
      params.to === undefined
        ? await this.#back(submission, parent)
        : await this.#direct(submission, params.to);
    return { ...route, thread: parent.thread ?? parent.id };
  }

  #back(submission: Submission, parent: StoredMessage): Route | Promise<Route> {
    const { sender } = submission;
    const workspace = this.#workspaces.byId(parent.workspaceId);
    switch (parent.conversationKind) {
      case 'channel':
        return this.#direct(submission, `${workspace.name}:#${parent.channelName}`);
      case 'group': {
        const others = agentIds(parent.conversationKey).filter((id) => id !== sender.id);
        return this.#toOthers(
          workspace,
          sender,
          others.flatMap((id) => this.#agents.byId(id) ?? []),
        );
      }
      case 'broadcast':
        return this.#toAgentById(sender, parent.senderId);
      case 'dm':
        return this.#toAgentById(
          sender,
          agentIds(parent.conversationKey).find((id) => id !== sender.id) ?? sender.id,
        );
    }
  }

  #toAgentById(sender: Agent, id: number): Route {
    const agent = this.#agents.byId(id);
    if (!agent) throw new RelayError('AgentNotFound', 'The agent to answer was removed.');
    return this.toAgent(sender, agent);
  }
}

/** What the conversation of these agents is found by. */
export const conversationKey = (ids: number[]): string => ids.toSorted((a, b) => a - b).join(':');

/** The agents of a DM or group, from the key of their conversation. */
export const agentIds = (conversationKey: string): number[] => conversationKey.split(':').map(Number);
