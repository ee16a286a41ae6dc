import { sameHash } from '@agent-relay/platform/secrets';
import {
  checkAgentName,
  nameKey,
  nameSkeleton,
  nearNames,
  plainAgentName,
  RelayError,
} from '@agent-relay/protocol';
import { accountIn } from '../governance/accounts.ts';
import type { Tally } from '../governance/tally.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { Workspace } from '../ports/store/workspaces.ts';

/** The agents of one workspace by name key, by skeleton, and by token hash. */
interface Names {
  byName: Map<string, Agent>;
  byHandle: Map<string, Agent>;
  bySkeleton: Map<string, Agent>;
  byToken: Map<string, Agent>;
}

/** The names of all agents in memory, so that finding one costs no read. */
export class AgentNames {
  /** Names reserved for people, registered only by the owner. */
  readonly #personNames: ReadonlySet<string>;
  /** How many names each account has. */
  readonly #tally: Tally;
  readonly #byWorkspace = new Map<number, Names>();
  readonly #byId = new Map<number, Agent>();
  /** What else has this word as its name, as a sentence. `name.tool` means one thing. */
  callHolder: (workspaceId: number, word: string, own: Agent | undefined) => string | undefined = () =>
    undefined;

  constructor(personNames: readonly string[], tally: Tally) {
    this.#tally = tally;
    this.#personNames = new Set(personNames.map(nameSkeleton));
  }

  byId(id: number): Agent | undefined {
    return this.#byId.get(id);
  }

  /** In the order they were registered or renamed. */
  list(workspaceId: number): Agent[] {
    return [...(this.#byWorkspace.get(workspaceId)?.byName.values() ?? [])];
  }

  /** The agent that a name or a handle refers to, with or without `@`. */
  find(workspaceId: number, reference: string): Agent | undefined {
    const key = nameKey(plainAgentName(reference));
    const names = this.#byWorkspace.get(workspaceId);
    return names?.byName.get(key) ?? names?.byHandle.get(key);
  }

  /** Whether the token is the agent's, and the agent still exists. */
  holdsToken(agent: Agent, tokenHash: string): boolean {
    return this.#byId.has(agent.id) && sameHash(agent.tokenHash, tokenHash);
  }

  findByToken(workspaceId: number, tokenHash: string): Agent | undefined {
    return this.#byWorkspace.get(workspaceId)?.byToken.get(tokenHash);
  }

  add(agent: Agent): void {
    let names = this.#byWorkspace.get(agent.workspaceId);
    if (!names) {
      names = { byName: new Map(), byHandle: new Map(), bySkeleton: new Map(), byToken: new Map() };
      this.#byWorkspace.set(agent.workspaceId, names);
    }
    names.byName.set(nameKey(agent.name), agent);
    if (agent.handle !== undefined) names.byHandle.set(nameKey(agent.handle), agent);
    for (const name of namesOf(agent)) names.bySkeleton.set(nameSkeleton(name), agent);
    names.byToken.set(agent.tokenHash, agent);
    if (!this.#byId.has(agent.id)) this.#count(agent, 1);
    this.#byId.set(agent.id, agent);
  }

  delete(agent: Agent): void {
    const names = this.#byWorkspace.get(agent.workspaceId);
    names?.byName.delete(nameKey(agent.name));
    if (agent.handle !== undefined) names?.byHandle.delete(nameKey(agent.handle));
    for (const name of namesOf(agent)) names?.bySkeleton.delete(nameSkeleton(name));
    names?.byToken.delete(agent.tokenHash);
    if (this.#byId.delete(agent.id)) this.#count(agent, -1);
  }

  /** Drops the workspace, once all its agents are deleted. */
  deleteWorkspace(workspaceId: number): void {
    this.#byWorkspace.delete(workspaceId);
  }

  /** Refuses a name or handle that is reserved, taken, or too similar to another one. */
  checkNew(
    workspaceId: number,
    name: string,
    { own, isPerson = false }: { own?: Agent | undefined; isPerson?: boolean } = {},
  ): void {
    checkAgentName(name);
    if (!isPerson && this.#personNames.has(nameSkeleton(name)))
      throw new RelayError('ReservedName', `"${name}" is reserved for the person who owns this daemon.`);
    const other = this.callHolder(workspaceId, name, own);
    if (other !== undefined)
      throw new RelayError('NameTaken', other, {
        next: 'Choose another name: agents, MCP servers and actions are called by the same form, name.tool.',
      });
    const holder = this.find(workspaceId, name);
    if (holder && holder !== own) throw nameTaken(name);
    const twin = this.#byWorkspace.get(workspaceId)?.bySkeleton.get(nameSkeleton(name));
    if (!twin || twin === own) return;
    throw new RelayError('LookAlikeName', `"${name}" looks too much like the agent "${twin.name}".`);
  }

  #count({ workspaceId, account }: Agent, change: 1 | -1): void {
    if (account !== undefined) this.#tally.add(accountIn(workspaceId, account), change);
  }
}

const namesOf = ({ name, handle }: Agent): string[] => (handle === undefined ? [name] : [name, handle]);

export const nameTaken = (name: string): RelayError =>
  new RelayError('NameTaken', `The name "${name}" is taken.`, { next: 'Choose another name.' });

/** `known`: the names to suggest from. */
export function unknownAgent(workspace: Workspace, name: string, known: readonly string[]): RelayError {
  const suggestions = nearNames(name, known);
  const hint = suggestions.length > 0 ? ` Did you mean ${suggestions.join(', ')}?` : '';
  return new RelayError('AgentNotFound', `No agent "${name}" is known in project ${workspace.name}.${hint}`, {
    details: { suggestions },
    ...(hint === '' ? { next: HOW_AN_AGENT_BECOMES_KNOWN } : {}),
  });
}

const HOW_AN_AGENT_BECOMES_KNOWN =
  'List the agents with: agent-relay who --all. An agent is added when it first connects, for example with: agent-relay inbox --as NAME';
