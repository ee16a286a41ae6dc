import { signal } from '@preact/signals';
import { relay } from '../connection/connection.ts';

/** Something that can be called: a tool of an agent or a server, or an action. */
export interface Tool {
  name: string;
  description?: string;
  inputSchema?: Record<string, unknown>;
  outputSchema?: Record<string, unknown> | undefined;
  /** False: the agent is asked in a message. */
  served?: boolean;
  consent?: boolean | undefined;
  /** Why it cannot be called. */
  problem?: string;
  /** Whom an action is for; everybody, if it does not say. */
  availableTo?: string[] | undefined;
}

/** Who offers them. */
export interface Owner {
  name: string;
  kind: 'agent' | 'server' | 'actions';
  note: string;
  tools: Tool[];
}

/** Everything that can be called in the project; undefined until it was read. */
export const owners = signal<Owner[] | undefined>(undefined);

/** Names a tool in the address of the page. An agent's name has no colon. */
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
            async ({ name, capabilities, tools }): Promise<Owner> => ({
              name,
              kind: 'agent',
              note: capabilities.join(', '),
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
            async ({ name, health, error }): Promise<Owner> => ({
              name,
              kind: 'server',
              note: error ?? health,
              tools: await relay().servers.tools(name),
            }),
          ),
        ),
      ),
  ]);
  owners.value = [
    ...(actions.length > 0
      ? [{ name: 'Actions', kind: 'actions', note: '', tools: actions } satisfies Owner]
      : []),
    ...agents,
    ...servers,
  ];
}
