import { actionKey, nameKey, RelayError, type ToolDefinition } from '@agent-relay/protocol';
import type { Presence } from '../directory/presence.ts';
import { accountOf } from '../governance/accounts.ts';
import type { Quotas } from '../governance/quotas.ts';
import type { Clock } from '../ports/clock.ts';
import type { Directory, ServedAction, ToolServer } from '../ports/directory.ts';
import type { Agent } from '../ports/store/agents.ts';
import { checkAction } from './actions/rules.ts';
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
  /** The other agent or MCP server that has this word as its name. */
  holderOf: (agent: Agent, word: string) => string | undefined;
}

type Served = Pick<ToolServer, 'tools' | 'actions'>;
const NOTHING: Served = { tools: [], actions: [] };
const allOf = ({ tools, actions }: Served = NOTHING): ToolDefinition[] => [...tools, ...actions];

/** The tools that connections handle calls of: in memory, as long as the connection lasts. */
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
    checkNames('tool', tools, ({ name }) => name);
    checkNames('action', actions, ({ name }) => actionKey(name));
    for (const action of actions) {
      checkAction(action);
      this.#checkFree(agent, action.name);
    }
    this.#checkTwins(serverId, agent, { tools, actions });
    for (const tool of tools) this.#checkServed(tool, 'tool');
    for (const action of actions) this.#checkServed(action, 'action');
    this.#count(serverId, agent, { tools, actions });
    directory.serves({ id: serverId, agentId, workspaceId, tools, actions });
    this.changed(agent);
  }

  /** Throws if the account serves too much. */
  #count(serverId: string, { id, workspaceId, account }: Agent, offered: Served): void {
    const { directory, quotas } = this.#parts;
    const before = directory.serversOf(id).find((server) => server.id === serverId);
    quotas.serving(workspaceId, accountOf({ id, account }), allOf(before), allOf(offered));
  }

  /** An action has one owner in the project, and cannot be the `name.tool` of another. */
  #checkFree(agent: Agent, name: string): void {
    const { id, workspaceId } = agent;
    const word = callWord(name);
    const other = word === name ? undefined : this.#parts.holderOf(agent, word);
    if (other !== undefined)
      throw new RelayError('NameTaken', `"${name}" would be a tool of ${other}.`, {
        next: `Choose a name for the action that does not begin with "${word}.".`,
        details: { name },
      });
    const holder = this.#parts.directory.findAction(workspaceId, actionKey(name))?.server.agentId;
    if (holder === undefined || holder === id) return;
    throw new RelayError('NameTaken', `The action "${name}" belongs to ${this.#parts.nameOf(holder)}.`, {
      next: 'Choose another name for the action.',
      details: { name },
    });
  }

  /** `Bob.deploy` is not both an action and the tool `deploy` of Bob. Whichever came first stays. */
  #checkTwins(serverId: string, { id, name, handle }: Agent, offered: Served): void {
    const servers = this.#parts.directory.serversOf(id);
    const before = servers.flatMap((server) => server.actions.map((action) => action.name));
    const others = servers.filter((server) => server.id !== serverId);
    const all = [...others, offered];
    for (const word of [name, ...(handle === undefined ? [] : [handle])]) {
      const twin = twinAmong(all, word);
      if (!twin) continue;
      if (before.includes(twin.action))
        throw new RelayError('NameTaken', `${name} has an action "${twin.action}".`, {
          next: `Choose another name for the tool "${twin.tool}".`,
          details: { field: 'tools' },
        });
      throw new RelayError('NameTaken', `"${twin.action}" is the tool "${twin.tool}" of ${name}.`, {
        next: 'Choose another name for the action.',
        details: { name: twin.action },
      });
    }
  }

  /** An action of the agent that would also be one of its tools if the agent had this name. */
  twinUnder(agentId: number, word: string): string | undefined {
    return twinAmong(this.#parts.directory.serversOf(agentId), word)?.action;
  }

  findAction(workspaceId: number, name: string): { served: ServedAction; tool: CheckedTool } | undefined {
    const served = this.#parts.directory.findAction(workspaceId, actionKey(name));
    return served && { served, tool: this.#check(served.action, 'action') };
  }

  /** An action whose name begins with this word and a dot. */
  actionBeginningWith(workspaceId: number, word: string): ServedAction | undefined {
    const start = nameKey(`${word}.`);
    return this.actionsIn(workspaceId).find(({ action }) => nameKey(action.name).startsWith(start));
  }

  actionsIn(workspaceId: number): ServedAction[] {
    return this.#parts.directory.actionsIn(workspaceId);
  }

  /** The connection stopped serving. */
  drop(serverId: string, agent: Agent): void {
    const { id: agentId, workspaceId } = agent;
    this.#count(serverId, agent, NOTHING);
    this.#parts.directory.serves({ id: serverId, agentId, workspaceId, ...NOTHING });
    this.changed(agent);
  }

  /** The connection that handles calls of a tool; of several, the oldest. */
  find(agentId: number, name: string): { server: ToolServer; tool: CheckedTool } | undefined {
    for (const server of this.#parts.directory.serversOf(agentId)) {
      const definition = server.tools.find((tool) => tool.name === name);
      if (definition) return { server, tool: this.#check(definition, 'tool') };
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

  /** The agent's capabilities or tools changed. */
  changed(agent: Agent): void {
    this.#parts.presence.offered(agent.id);
    if (this.#toTell.has(agent.id)) return;
    this.#toTell.add(agent.id);
    this.#parts.clock.after(TELL_AFTER_MS, () => {
      this.#toTell.delete(agent.id);
      this.#parts.presence.tell(agent.workspaceId, { type: 'tools.changed', agent: agent.name });
    });
  }

  /** Arguments are objects: a tool that takes none could never be called. */
  #checkServed(definition: ToolDefinition, kind: Kind): void {
    this.#check(definition, kind);
    const { type = 'object' } = definition.inputSchema as { type?: unknown };
    if (![type].flat().includes('object'))
      throw refused(kind, definition, 'has an input schema that takes no object');
  }

  /** A tool with its schemas. Throws if one of them is invalid. */
  #check(definition: ToolDefinition, kind: Kind): CheckedTool {
    const known = this.#checked.get(definition);
    if (known) return known;
    const tool = checkTool(definition, kind);
    this.#checked.set(definition, tool);
    return tool;
  }
}

export function checkTool(definition: ToolDefinition, kind: Kind = 'tool'): CheckedTool {
  const { inputSchema, outputSchema } = definition;
  try {
    return {
      definition,
      input: new CheckedSchema(inputSchema),
      output: outputSchema && new CheckedSchema(outputSchema),
    };
  } catch (error) {
    throw refused(kind, definition, `has an invalid schema: ${(error as Error).message}`);
  }
}

type Kind = 'tool' | 'action';

/** An action whose name would also be `name.tool` of the agent with this word as its name. */
function twinAmong(
  servers: ReadonlyArray<Served>,
  word: string,
): { action: string; tool: string } | undefined {
  const start = nameKey(`${word}.`);
  const tools = new Set(servers.flatMap((server) => server.tools.map(({ name }) => name)));
  for (const { name: action } of servers.flatMap((server) => server.actions)) {
    const tool = action.slice(start.length);
    if (nameKey(action).startsWith(start) && tools.has(tool)) return { action, tool };
  }
  return undefined;
}

function checkNames<T extends ToolDefinition>(
  kind: Kind,
  tools: readonly T[],
  keyOf: (tool: T) => string,
): void {
  const keys = new Set<string>();
  for (const tool of tools) {
    if (keys.has(keyOf(tool))) throw refused(kind, tool, 'is listed twice');
    keys.add(keyOf(tool));
  }
}

const refused = (kind: Kind, { name }: ToolDefinition, why: string): RelayError =>
  new RelayError('InvalidRequest', `The ${kind} "${name}" ${why}.`, {
    details: kind === 'action' ? { field: 'actions', name } : { field: 'tools' },
  });
