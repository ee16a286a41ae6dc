import type { Message } from '@agent-relay/protocol';
import { type ErrorCode, RelayError } from '@agent-relay/sdk';
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

export type NextSteps = Readonly<Partial<Record<ErrorCode, string>>>;

/** Tools that belong together and are chosen together. */
export interface Toolset {
  name: string;
  tools: readonly Tool[];
  wording: Wording;
  /** Replaces the default instructions, for a toolset that does not act for the session's agent. */
  guide?: { instructions: string; protocol: string };
}

/** The toolset whose terms the server uses. */
export function mainToolset([first]: readonly Toolset[]): Toolset {
  if (first === undefined) throw new TypeError('A server has at least one toolset.');
  return first;
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

/** The toolsets with these names. Two that have a tool with the same name cannot be combined. */
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
  const owners = new Map<string, string>();
  for (const toolset of chosen) {
    for (const { name } of toolset.tools) {
      const owner = owners.get(name);
      if (owner !== undefined) {
        throw new RelayError(
          'InvalidSettings',
          `The toolsets "${owner}" and "${toolset.name}" both have a tool ${name}.`,
          { next: 'Leave one of the two out of --tools or RELAY_TOOLS.' },
        );
      }
      owners.set(name, toolset.name);
    }
  }
}
