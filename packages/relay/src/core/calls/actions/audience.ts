import { type ActionDefinition, nameKey, plainAgentName } from '@agent-relay/protocol';
import type { Agents } from '../../directory/agents.ts';
import type { Channels } from '../../directory/channels.ts';
import type { Agent } from '../../ports/store/agents.ts';
import type { Workspace } from '../../ports/store/workspaces.ts';
import type { Principal } from '../../principal.ts';

/** Who may invoke an action. */
export class ActionAudience {
  readonly #agents: Agents;
  readonly #channels: Channels;

  constructor(agents: Agents, channels: Channels) {
    this.#agents = agents;
    this.#channels = channels;
  }

  /** The owner of the daemon, also as a person, and the agent that performs the action, may always invoke it. */
  includes({ availableTo }: ActionDefinition, performer: Agent, principal: Principal): boolean {
    const { agent, owner, unverified } = principal;
    if (owner) return true;
    if (!agent) return false;
    if (availableTo === undefined || agent === performer) return true;
    // A connection that only claims to be this agent does not have its rights.
    if (unverified) return false;
    return this.#isOwnersPerson(principal) || availableTo.some((who) => this.#isMeant(who, agent, principal));
  }

  /** The names in `availableTo` that do not exist: not yet, or a typo. */
  unknown({ availableTo = [] }: ActionDefinition, workspace: Workspace): string[] {
    return availableTo.filter((who) => {
      if (who.startsWith('#')) return this.#channels.find(workspace, who.slice(1)) === undefined;
      const key = nameKey(plainAgentName(who));
      return key !== 'human' && key !== 'lead' && this.#agents.find(workspace, key) === undefined;
    });
  }

  #isOwnersPerson({ agent, local, unverified }: Principal): boolean {
    return agent !== undefined && local && !unverified && this.#agents.isOwnersPerson(agent);
  }

  #isMeant(who: string, agent: Agent, { workspace }: Principal): boolean {
    if (who.startsWith('#')) {
      const channel = this.#channels.find(workspace, who.slice(1));
      return channel !== undefined && this.#channels.isMember(channel, agent.id);
    }
    const key = nameKey(plainAgentName(who));
    if (key === 'human') return agent.type === 'human';
    if (key === 'lead') return this.#agents.lead(workspace) === agent;
    return key === nameKey(agent.name) || (agent.handle !== undefined && key === nameKey(agent.handle));
  }
}
