import { checkAgentName, nameKey, nameSkeleton, RelayError } from '@agent-relay/protocol';
import type { Agent } from './ports/store.ts';

/** The agents of one workspace by the two forms their names are compared in. */
interface Names {
  byKey: Map<string, Agent>;
  bySkeleton: Map<string, Agent>;
}

/** Who is called what, in every workspace, in memory: finding an agent costs no read. */
export class AgentNames {
  readonly #byWorkspace = new Map<number, Names>();
  readonly #byId = new Map<number, Agent>();

  byId(id: number): Agent | undefined {
    return this.#byId.get(id);
  }

  /** In the order they were registered or renamed. */
  list(workspaceId: number): Agent[] {
    return [...(this.#byWorkspace.get(workspaceId)?.byKey.values() ?? [])];
  }

  find(workspaceId: number, name: string): Agent | undefined {
    return this.#byWorkspace.get(workspaceId)?.byKey.get(nameKey(name));
  }

  add(agent: Agent): void {
    let names = this.#byWorkspace.get(agent.workspaceId);
    if (!names) {
      names = { byKey: new Map(), bySkeleton: new Map() };
      this.#byWorkspace.set(agent.workspaceId, names);
    }
    names.byKey.set(nameKey(agent.name), agent);
    names.bySkeleton.set(nameSkeleton(agent.name), agent);
    this.#byId.set(agent.id, agent);
  }

  delete(agent: Agent): void {
    const names = this.#byWorkspace.get(agent.workspaceId);
    names?.byKey.delete(nameKey(agent.name));
    names?.bySkeleton.delete(nameSkeleton(agent.name));
    this.#byId.delete(agent.id);
  }

  /** Forgets the workspace, once all its agents are deleted. */
  deleteWorkspace(workspaceId: number): void {
    this.#byWorkspace.delete(workspaceId);
  }

  /** Refuses a name that nobody may have, that somebody has, or that could be taken for somebody's. */
  checkNew(workspaceId: number, name: string, renamed?: Agent): void {
    checkAgentName(name);
    const twin = this.#byWorkspace.get(workspaceId)?.bySkeleton.get(nameSkeleton(name));
    if (!twin || twin === renamed) return;
    if (nameKey(twin.name) === nameKey(name)) throw nameTaken(name);
    throw new RelayError('LookAlikeName', `"${name}" could be taken for the agent "${twin.name}".`);
  }
}

export const nameTaken = (name: string): RelayError =>
  new RelayError('NameTaken', `The name "${name}" is taken.`, { next: 'Choose another name.' });
