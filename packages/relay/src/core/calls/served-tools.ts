import { RelayError, type ToolDefinition } from '@agent-relay/protocol';
import type { Presence } from '../directory/presence.ts';
import type { Quotas } from '../governance/quotas.ts';
import type { Clock } from '../ports/clock.ts';
import type { Directory, ToolServer } from '../ports/directory.ts';
import type { Agent } from '../ports/store/agents.ts';
import { CheckedSchema } from './schema/schema.ts';

/** Changes of one agent within this time are told as one. */
const TELL_AFTER_MS = 20;

/** A tool with its schemas, ready to check what goes in and comes out. */
export interface CheckedTool {
  readonly definition: ToolDefinition;
  readonly input: CheckedSchema;
  readonly output: CheckedSchema | undefined;
}

interface Parts {
  directory: Directory;
  presence: Presence;
  quotas: Quotas;
  clock: Clock;
}

/** The tools that connections handle calls of: in memory, for as long as the connection is there. */
export class ServedTools {
  readonly #parts: Parts;
  readonly #checked = new WeakMap<ToolDefinition, CheckedTool>();
  readonly #toTell = new Set<number>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Replaces what a connection serves. Throws if it is too much, or a schema cannot be used. */
  replace(serverId: string, agent: Agent, tools: readonly ToolDefinition[]): void {
    const { directory, quotas } = this.#parts;
    const others = directory.serversOf(agent.id).filter(({ id }) => id !== serverId);
    quotas.checkTools([...others.flatMap((other) => other.tools), ...tools]);
    const names = new Set<string>();
    for (const tool of tools) {
      if (names.has(tool.name)) throw refused(tool, 'is there twice');
      names.add(tool.name);
      this.#check(tool);
    }
    directory.serves({ id: serverId, agentId: agent.id, workspaceId: agent.workspaceId, tools });
    this.changed(agent);
  }

  /** The connection serves nothing any more. */
  drop(serverId: string, agent: Agent): void {
    const { id: agentId, workspaceId } = agent;
    this.#parts.directory.serves({ id: serverId, agentId, workspaceId, tools: [] });
    this.changed(agent);
  }

  /** The connection that handles calls of a tool: of several, the one that began first. */
  find(agentId: number, name: string): { server: ToolServer; tool: CheckedTool } | undefined {
    for (const server of this.#parts.directory.serversOf(agentId)) {
      const definition = server.tools.find((tool) => tool.name === name);
      if (definition) return { server, tool: this.#check(definition) };
    }
    return undefined;
  }

  /** What the connections of an agent serve, each name once. */
  of(agentId: number): ToolDefinition[] {
    const found = new Map<string, ToolDefinition>();
    for (const tool of this.#parts.directory.serversOf(agentId).flatMap(({ tools }) => tools))
      if (!found.has(tool.name)) found.set(tool.name, tool);
    return [...found.values()];
  }

  agentsServing(workspaceId: number, tool: string): ReadonlySet<number> {
    return this.#parts.directory.agentsServing(workspaceId, tool);
  }

  /** The agent offers something else than before. */
  changed(agent: Agent): void {
    if (this.#toTell.has(agent.id)) return;
    this.#toTell.add(agent.id);
    this.#parts.clock.after(TELL_AFTER_MS, () => {
      this.#toTell.delete(agent.id);
      this.#parts.presence.tell(agent.workspaceId, { type: 'tools.changed', agent: agent.name });
    });
  }

  /** A tool with its schemas. Throws if one of them cannot be used. */
  #check(definition: ToolDefinition): CheckedTool {
    const known = this.#checked.get(definition);
    if (known) return known;
    const tool = checkTool(definition);
    this.#checked.set(definition, tool);
    return tool;
  }
}

export function checkTool(definition: ToolDefinition): CheckedTool {
  const { inputSchema, outputSchema } = definition;
  try {
    return {
      definition,
      input: new CheckedSchema(inputSchema),
      output: outputSchema && new CheckedSchema(outputSchema),
    };
  } catch (error) {
    throw refused(definition, `has a schema that cannot be used: ${(error as Error).message}`);
  }
}

const refused = ({ name }: ToolDefinition, why: string): RelayError =>
  new RelayError('InvalidRequest', `The tool "${name}" ${why}.`, { details: { field: 'tools' } });
