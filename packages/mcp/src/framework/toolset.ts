import type { Message, NextSteps } from '@agent-relay/protocol';
import { RelayError } from '@agent-relay/sdk';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Tool } from './tool.ts';

/** The calls that guides and hints mention, in the terms of a toolset. */
export interface Wording {
  /** How to send `message` to `to`, as a call. */
  send(to: string, message: string): string;
  /** How to reply to a message, as a call. */
  answer(message: Message): string;
  /** The tool that lists agents. */
  agents: string;
  /** The same with the task of each. */
  agentsAndTasks: string;
  /** The tool that shows unread messages. */
  inbox: string;
  /** Next steps that use a tool, by error code. */
  nextSteps: NextSteps;
}

/** Tools that belong together and are chosen together. */
export interface Toolset {
  name: string;
  tools: readonly Tool[];
  wording: Wording;
  /** The form of its failures, where it is not the usual one. */
  failure?: (error: RelayError) => CallToolResult;
  /** What to tell the model, for a toolset that does not act for the session's agent. */
  guide?: { instructions: string; protocol: string };
}

/** The toolset whose terms the server uses: the first with the inbox of the session's agent, if there is one. */
export function mainToolset(toolsets: readonly Toolset[]): Toolset {
  const main =
    toolsets.find(({ tools }) => tools.some(({ showsInbox }) => showsInbox)) ??
    toolsets.find(({ guide }) => guide === undefined) ??
    toolsets[0];
  if (main === undefined) throw new TypeError('A server has at least one toolset.');
  return main;
}

/** Whether a session with these toolsets acts only for roles, never for its own agent. */
export const playsRoles = (toolsets: readonly Toolset[]): boolean =>
  toolsets.every(({ guide }) => guide !== undefined);

/** The toolset of other MCP servers, provided by a gateway. */
export const GATEWAY_TOOLSET = 'gateway';

/** Reads a list of names such as `relay,network`. */
export const toolsetNames = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** The toolsets with these names. Two that have different tools with the same name cannot be combined. */
export function chooseToolsets(
  names: readonly string[],
  known: ReadonlyMap<string, Toolset>,
): [Toolset, ...Toolset[]] {
  const choices = [...known.keys(), GATEWAY_TOOLSET];
  const next = `Choose from: ${choices.join(', ')}.`;
  const chosen = [...new Set(names)].map((name) => {
    const toolset = known.get(name);
    if (toolset) return toolset;
    throw new RelayError('InvalidSettings', `There is no toolset "${name}".`, {
      next,
      details: { choices },
    });
  });
  const [first, ...others] = chosen;
  if (first === undefined) {
    throw new RelayError('InvalidSettings', 'No toolset is chosen.', { next });
  }
  refuseClashes(chosen);
  return [first, ...others];
}

function refuseClashes(chosen: Toolset[]): void {
  const owners = new Map<string, { tool: Tool; toolset: string }>();
  for (const toolset of chosen) {
    for (const tool of toolset.tools) {
      const { name } = tool;
      const owner = owners.get(name);
      if (owner && owner.tool !== tool) {
        throw new RelayError(
          'InvalidSettings',
          `The toolsets "${owner.toolset}" and "${toolset.name}" both have a tool ${name}.`,
          { next: 'Leave one of the two out of --tools or RELAY_TOOLS.' },
        );
      }
      owners.set(name, { tool, toolset: toolset.name });
    }
  }
}
