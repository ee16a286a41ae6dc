import { safeData } from '@agent-relay/protocol';
import { signal } from '@preact/signals';
import { relay } from '../connection/connection.ts';
import { HEALTH_WORDS } from '../servers/health-words.ts';

/** Something that can be called: a tool of an agent or a server, or an action. */
export interface Tool {
  name: string;
  description?: string;
  inputSchema?: Record<string, unknown>;
  outputSchema?: Record<string, unknown> | undefined;
  /** False: the call is sent as a message to the agent. */
  served?: boolean;
  consent?: boolean | undefined;
  /** Why it cannot be called. */
  problem?: string;
  /** Who may invoke an action; everyone by default. */
  availableTo?: string[] | undefined;
}

/** Who offers the tools. */
export interface Owner {
  name: string;
  kind: 'agent' | 'server' | 'actions';
  note: string;
  /** By capability: how an agent describes what it says it can do. */
  descriptions?: Record<string, string> | undefined;
  tools: Tool[];
}

/** All tools of the project; undefined until loaded. */
export const owners = signal<Owner[] | undefined>(undefined);

/** A tool's id in the URL. Agent names contain no colon. */
export const subjectOf = (owner: Owner, tool: Tool): string =>
  owner.kind === 'actions' ? `action:${tool.name}` : `${owner.name}.${tool.name}`;

export function toolAt(subject: string): { owner: Owner; tool: Tool } | undefined {
  for (const owner of owners.value ?? [])
    for (const tool of owner.tools) if (subjectOf(owner, tool) === subject) return { owner, tool };
  return undefined;
}

export async function readOwners(): Promise<void> {
  const [actions, agents, servers] = await Promise.all([
    relay().actions(),
    relay()
      .discover()
      .then((offers) =>
        Promise.all(
          offers.map(
            async ({ name, capabilities, descriptions, tools }): Promise<Owner> => ({
              name,
              kind: 'agent',
              note: capabilities.join(', '),
              descriptions,
              tools: tools.length === 0 ? [] : await relay().tools(name),
            }),
          ),
        ),
      ),
    relay()
      .servers.list()
      .then(({ servers: known }) =>
        Promise.all(
          known.map(
            async ({ name, health }): Promise<Owner> => ({
              name,
              kind: 'server',
              note: HEALTH_WORDS[health],
              tools: await relay().servers.tools(name),
            }),
          ),
        ),
      ),
  ]);
  owners.value = safeData([
    ...(actions.length > 0
      ? [{ name: 'Actions', kind: 'actions', note: '', tools: actions } satisfies Owner]
      : []),
    ...agents,
    ...servers,
  ]);
}
