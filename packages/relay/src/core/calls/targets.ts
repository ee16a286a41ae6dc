import {
  type ActionInfo,
  actionKey,
  isTooDeep,
  nameKey,
  nearNames,
  type OperationParams,
  RelayError,
  type ToolDefinition,
} from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { OfferedTools } from '../directory/offered-tools.ts';
import type { Presence } from '../directory/presence.ts';
import { type Backends, NO_BACKENDS } from '../ports/backends.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { Principal } from '../principal.ts';
import type { ActionAudience } from './actions/audience.ts';
import { callWord } from './call-names.ts';
import { CheckedSchema } from './schema/schema.ts';
import { type CheckedTool, checkTool, type ServedTools } from './served-tools.ts';

/** The target of a call. */
export type Target =
  | {
      kind: 'backend';
      server: string;
      tool: string;
      /** The schema of its arguments, where it is known and can be checked. */
      input: CheckedSchema | undefined;
    }
  | ServedTarget
  /** The agent only announced it: it is asked in a message. */
  | { kind: 'announced'; callee: Agent; tool: CheckedTool };

/** A connection handles it. */
interface ServedTarget {
  kind: 'served';
  callee: Agent;
  serverId: string;
  tool: CheckedTool;
  isAction: boolean;
}

interface Parts {
  agents: Agents;
  presence: Presence;
  offered: OfferedTools;
  served: ServedTools;
  audience: ActionAudience;
}

/** Resolves `name.tool`: a tool of an agent or of an MCP server. No name is both (see `Agents`). */
export class CallTargets {
  readonly #parts: Parts;
  backends: Backends = NO_BACKENDS;
  /** Of the tools of MCP servers. */
  readonly #schemas = new WeakMap<object, CheckedSchema | undefined>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Answers at once, unless the tool is not served. */
  find(
    principal: Principal,
    { server, tool }: Pick<OperationParams<'CALL'>, 'server' | 'tool'>,
  ): Target | Promise<Target> {
    const { agents, presence, served } = this.#parts;
    const { workspace } = principal;
    const backend = this.#backend(server, tool);
    if (backend) return backend;
    const callee = agents.get(workspace, server);
    const found = served.find(callee.id, tool);
    if (found)
      return { kind: 'served', callee, serverId: found.server.id, tool: found.tool, isAction: false };
    if (this.#isAction(principal, `${server}.${tool}`)) throw notFound(callee, tool, served.of(callee.id));
    if (!presence.isOnline(callee.id))
      throw new RelayError('AgentOffline', `${callee.name} is offline. Calls are not queued.`);
    return this.#announced(callee, tool);
  }

  /** An action that the agent may invoke, or a tool as `name.tool`. */
  findInvocable(principal: Principal, name: string): Target | Promise<Target> {
    const action = this.#isSomebodysTool(principal, name) ? undefined : this.#action(principal, name);
    if (action) return action;
    const [server = '', ...tool] = name.split('.');
    if (tool.length > 0 && this.#isCalled(principal, server))
      return this.find(principal, { server, tool: tool.join('.') });
    throw this.#noAction(principal, name);
  }

  /** The action of that name, by either spelling, if the agent may invoke it. */
  #action(principal: Principal, name: string): ServedTarget | undefined {
    const { agents, served, audience } = this.#parts;
    const found = served.findAction(principal.workspace.id, name);
    const callee = found && agents.byId(found.served.server.agentId);
    if (!found || !callee || !audience.includes(found.served.action, callee, principal)) return undefined;
    return { kind: 'served', callee, serverId: found.served.server.id, tool: found.tool, isAction: true };
  }

  /** Whether an action has exactly this name. It is not that of a tool which was only announced. */
  #isAction(principal: Principal, name: string): boolean {
    const found = this.#action(principal, name)?.tool.definition.name;
    return found !== undefined && nameKey(found) === nameKey(name);
  }

  /** Whether a name, however it is spelled, is that of the action or tool with this title. */
  isTitle({ workspace }: Principal, name: string, title: string): boolean {
    const word = callWord(name);
    const agent = word === name ? undefined : this.#parts.agents.find(workspace, word);
    const spelled = agent ? `${agent.name}${name.slice(word.length)}` : name;
    return actionKey(spelled) === actionKey(title);
  }

  /** Not an action, though one is spelled like it: `files_read` is not the `read` of `files`. */
  #isSomebodysTool(principal: Principal, name: string): boolean {
    const spelled = this.#parts.served.findAction(principal.workspace.id, name)?.served.action.name;
    if (spelled === undefined || nameKey(spelled) === nameKey(name)) return false;
    const word = callWord(name);
    return word !== name && this.#isCalled(principal, word);
  }

  /** Whether an agent or an MCP server has this word as its name. */
  #isCalled({ workspace }: Principal, word: string): boolean {
    return (
      this.#parts.agents.find(workspace, word) !== undefined ||
      this.backends.beginningWith(word) !== undefined
    );
  }

  #noAction(principal: Principal, name: string): RelayError {
    const suggestions = nearNames(
      name,
      this.actionsFor(principal).map((action) => action.name),
    );
    const hint = suggestions.length > 0 ? ` Did you mean ${suggestions.join(', ')}?` : '';
    return new RelayError('ActionNotFound', `There is no action "${name}" available to you.${hint}`, {
      details: { suggestions },
    });
  }

  /** The actions that a principal may invoke. */
  actionsFor(principal: Principal): ActionInfo[] {
    const { agents, served, audience } = this.#parts;
    return served.actionsIn(principal.workspace.id).flatMap(({ action, server }) => {
      const owner = agents.byId(server.agentId);
      if (!owner || !audience.includes(action, owner, principal)) return [];
      const unknown = audience.unknown(action, principal.workspace);
      return [{ ...action, owner: owner.name, ...(unknown.length > 0 && { unknown }) }];
    });
  }

  /** The names of servers may have dots, as those of tools: the shortest that is one counts. */
  #backend(server: string, tool: string): Target | undefined {
    const parts = tool.split('.');
    for (let dots = 0; dots < parts.length; dots++) {
      const found = this.backends.find([server, ...parts.slice(0, dots)].join('.'));
      if (found === undefined) continue;
      const called = parts.slice(dots).join('.');
      return { kind: 'backend', server: found, tool: called, input: this.#inputOf(found, called) };
    }
    return undefined;
  }

  #inputOf(server: string, tool: string): CheckedSchema | undefined {
    const schema = this.backends.inputSchema(server, tool);
    if (!schema) return undefined;
    if (!this.#schemas.has(schema)) this.#schemas.set(schema, checkedIfPossible(schema));
    return this.#schemas.get(schema);
  }

  async #announced(callee: Agent, name: string): Promise<Target> {
    const { offered, served } = this.#parts;
    const announced = await offered.of(callee);
    const tool = announced.find((one) => one.name === name);
    if (tool) return { kind: 'announced', callee, tool: checkTool(tool) };
    throw notFound(callee, name, [...served.of(callee.id), ...announced]);
  }
}

/** For a call that its callee did not get: nothing has run. */
export const notReached = ({ name }: Pick<Agent, 'name'>): RelayError =>
  new RelayError('AgentOffline', `${name} disconnected before it got the call. Calls are not queued.`);

/** A server may use more of JSON Schema than is checked here: it checks its arguments itself. */
function checkedIfPossible(schema: object): CheckedSchema | undefined {
  if (isTooDeep(schema)) return undefined;
  try {
    return new CheckedSchema(schema);
  } catch {
    return undefined;
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
