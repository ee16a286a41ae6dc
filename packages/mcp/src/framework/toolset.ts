import { RelayError } from '@agent-relay/sdk';
import type { Tool } from './tool.ts';

/** How a toolset calls the things every guide and hint speaks about. */
export interface Wording {
  /** How to send `message` to `to`, as a call. */
  send(to: string, message: string): string;
  /** The tool that lists agents. */
  agents: string;
  /** What shows the unread messages. */
  inbox: string;
}

/** Tools that belong together and are chosen together. */
export interface Toolset {
  name: string;
  tools: readonly Tool[];
  wording: Wording;
}

/** The toolset that other MCP servers bring, through whoever runs a gateway to them. */
export const GATEWAY_TOOLSET = 'gateway';

/** Reads a list of names such as `relay,network`. */
export const toolsetNames = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** The toolsets of these names. Two that define a tool of the same name cannot be served by one server. */
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
