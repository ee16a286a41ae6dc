import { nearNames, type OperationParams, RelayError, type ToolDefinition } from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { OfferedTools } from '../directory/offered-tools.ts';
import type { Presence } from '../directory/presence.ts';
import { type Backends, NO_BACKENDS } from '../ports/backends.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import { type CheckedTool, checkTool, type ServedTools } from './served-tools.ts';

/** Who is to do what a call asks for. */
export type Target =
  | { kind: 'backend'; server: string; tool: string }
  /** A connection handles it. */
  | { kind: 'served'; callee: Agent; serverId: string; tool: CheckedTool }
  /** The agent only said that it can: it is asked in a message. */
  | { kind: 'announced'; callee: Agent; tool: CheckedTool };

interface Parts {
  agents: Agents;
  presence: Presence;
  offered: OfferedTools;
  served: ServedTools;
}

/** Finds out what `name.tool` is: a tool of an agent or of an MCP server. No name is both (see `Agents`). */
export class CallTargets {
  readonly #parts: Parts;
  backends: Backends = NO_BACKENDS;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Answers at once, unless the tool is not served. */
  find(workspace: Workspace, { server, tool }: OperationParams<'CALL'>): Target | Promise<Target> {
    const { agents, presence, served } = this.#parts;
    const backend = this.#backend(server, tool);
    if (backend) return backend;
    const callee = agents.get(workspace, server);
    const found = served.find(callee.id, tool);
    if (found) return { kind: 'served', callee, serverId: found.server.id, tool: found.tool };
    if (!presence.isOnline(callee.id))
      throw new RelayError('AgentOffline', `${callee.name} is offline, and calls are not kept for later.`);
    return this.#announced(callee, tool);
  }

  /** The names of servers may have dots, as those of tools: the shortest that is one counts. */
  #backend(server: string, tool: string): Target | undefined {
    const parts = tool.split('.');
    for (let dots = 0; dots < parts.length; dots++) {
      const found = this.backends.find([server, ...parts.slice(0, dots)].join('.'));
      if (found !== undefined) return { kind: 'backend', server: found, tool: parts.slice(dots).join('.') };
    }
    return undefined;
  }

  async #announced(callee: Agent, name: string): Promise<Target> {
    const { offered, served } = this.#parts;
    const announced = await offered.of(callee);
    const tool = announced.find((one) => one.name === name);
    if (tool) return { kind: 'announced', callee, tool: checkTool(tool) };
    throw notFound(callee, name, [...served.of(callee.id), ...announced]);
  }
}

function notFound({ name }: Agent, tool: string, offered: ToolDefinition[]): RelayError {
  const names = [...new Set(offered.map((one) => one.name))];
  const suggestions = nearNames(tool, names);
  const hint =
    suggestions.length > 0
      ? ` Did you mean ${suggestions.join(', ')}?`
      : ` It offers ${names.slice(0, 10).join(', ') || 'none'}.`;
  return new RelayError('ToolNotFound', `${name} has no tool "${tool}".${hint}`, {
    details: { suggestions },
  });
}
