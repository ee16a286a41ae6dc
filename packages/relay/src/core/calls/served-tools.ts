import { actionKey, nameKey, RelayError, type ToolDefinition } from '@agent-relay/protocol';
import type { Presence } from '../directory/presence.ts';
import type { Quotas } from '../governance/quotas.ts';
import type { Clock } from '../ports/clock.ts';
import type { Directory, ServedAction, ToolServer } from '../ports/directory.ts';
import type { Agent } from '../ports/store/agents.ts';
import { callWord } from './call-names.ts';
import { CheckedSchema } from './schema/schema.ts';

/** Changes of one agent within this time are one event. */
const TELL_AFTER_MS = 20;

/** A tool with its parsed schemas. */
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
  nameOf: (agentId: number) => string;
  /** Which other agent, or MCP server, is called by this word. */
  holderOf: (agent: Agent, word: string) => string | undefined;
}

type Served = Pick<ToolServer, 'tools' | 'actions'>;

/** The tools that connections handle calls of: in memory, for as long as the connection is there. */
export class ServedTools {
  readonly #parts: Parts;
  readonly #checked = new WeakMap<ToolDefinition, CheckedTool>();
  readonly #toTell = new Set<number>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Replaces what a connection serves. Throws if it is too much, a schema cannot be used, or a name is taken. */
  replace(serverId: string, agent: Agent, { tools, actions }: Served): void {
    const { directory, quotas } = this.#parts;
    const { id: agentId, workspaceId } = agent;
    const others = directory.serversOf(agentId).filter(({ id }) => id !== serverId);
    quotas.checkTools([...others, { tools, actions }].flatMap((one) => [...one.tools, ...one.actions]));
    checkNames(tools, ({ name }) => name);
    checkNames(actions, ({ name }) => actionKey(name));
    for (const action of actions) this.#checkFree(agent, action.name);
    for (const tool of [...tools, ...actions]) this.#check(tool);
    directory.serves({ id: serverId, agentId, workspaceId, tools, actions });
    this.changed(agent);
  }

  /** An action has one owner in the project, and is nobody else's `name.tool`. */
  #checkFree(agent: Agent, name: string): void {
    const { id, workspaceId } = agent;
    const word = callWord(name);
    const other = word === name ? undefined : this.#parts.holderOf(agent, word);
    if (other !== undefined)
      throw new RelayError('NameTaken', `"${name}" would be a tool of ${other}.`, {
        next: `Choose a name for the action that does not begin with "${word}.".`,
      });
    const holder = this.#parts.directory.findAction(workspaceId, actionKey(name))?.server.agentId;
    if (holder === undefined || holder === id) return;
    throw new RelayError('NameTaken', `The action "${name}" belongs to ${this.#parts.nameOf(holder)}.`, {
      next: 'Choose another name for the action.',
    });
  }

  findAction(workspaceId: number, name: string): { served: ServedAction; tool: CheckedTool } | undefined {
    const served = this.#parts.directory.findAction(workspaceId, actionKey(name));
    return served && { served, tool: this.#check(served.action) };
  }

  /** An action whose name begins with this word and a dot. */
  actionBeginningWith(workspaceId: number, word: string): ServedAction | undefined {
    const start = nameKey(`${word}.`);
    return this.actionsIn(workspaceId).find(({ action }) => nameKey(action.name).startsWith(start));
  }

  actionsIn(workspaceId: number): ServedAction[] {
    return this.#parts.directory.actionsIn(workspaceId);
  }

  /** The connection serves nothing any more. */
  drop(serverId: string, agent: Agent): void {
    const { id: agentId, workspaceId } = agent;
    this.#parts.directory.serves({ id: serverId, agentId, workspaceId, tools: [], actions: [] });
    this.changed(agent);
  }

  /** The connection that handles calls of a tool; of several, the oldest. */
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

  /** The agent's tools changed. */
  changed(agent: Agent): void {
    if (this.#toTell.has(agent.id)) return;
    this.#toTell.add(agent.id);
    this.#parts.clock.after(TELL_AFTER_MS, () => {
      this.#toTell.delete(agent.id);
      this.#parts.presence.tell(agent.workspaceId, { type: 'tools.changed', agent: agent.name });
    });
  }

  /** A tool with its schemas. Throws if one of them is invalid. */
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
    throw refused(definition, `has an invalid schema: ${(error as Error).message}`);
  }
}

function checkNames<T extends ToolDefinition>(tools: readonly T[], keyOf: (tool: T) => string): void {
  const keys = new Set<string>();
  for (const tool of tools) {
    if (keys.has(keyOf(tool))) throw refused(tool, 'is listed twice');
    keys.add(keyOf(tool));
  }
}

const refused = ({ name }: ToolDefinition, why: string): RelayError =>
  new RelayError('InvalidRequest', `The tool "${name}" ${why}.`, { details: { field: 'tools' } });
