import type { ToolServer } from '../ports/directory.ts';

/** Which connections serve which tools, found by agent and by the name of a tool. */
export class ToolServers {
  readonly #byAgent = new Map<number, readonly ToolServer[]>();
  readonly #byTool = new Map<string, Set<number>>();

  replace(server: ToolServer): void {
    const { id, agentId, workspaceId, tools } = server;
    const before = this.of(agentId);
    const known = before.some((other) => other.id === id);
    const all = known ? before.map((other) => (other.id === id ? server : other)) : [...before, server];
    const after = all.filter((other) => other.tools.length > 0);
    if (after.length > 0) this.#byAgent.set(agentId, after);
    else this.#byAgent.delete(agentId);
    const left = new Set(namesOf(after));
    for (const name of namesOf(before))
      if (!left.has(name)) this.#forget(toolKey(workspaceId, name), agentId);
    for (const { name } of tools) this.#note(toolKey(workspaceId, name), agentId);
  }

  of(agentId: number): readonly ToolServer[] {
    return this.#byAgent.get(agentId) ?? [];
  }

  agentsServing(workspaceId: number, tool: string): ReadonlySet<number> {
    return this.#byTool.get(toolKey(workspaceId, tool)) ?? NOBODY;
  }

  #note(key: string, agentId: number): void {
    const agents = this.#byTool.get(key);
    if (agents) agents.add(agentId);
    else this.#byTool.set(key, new Set([agentId]));
  }

  #forget(key: string, agentId: number): void {
    const agents = this.#byTool.get(key);
    agents?.delete(agentId);
    if (agents?.size === 0) this.#byTool.delete(key);
  }
}

const NOBODY: ReadonlySet<number> = new Set();
const toolKey = (workspaceId: number, name: string): string => `${workspaceId} ${name}`;
const namesOf = (servers: readonly ToolServer[]): string[] =>
  servers.flatMap(({ tools }) => tools.map(({ name }) => name));
