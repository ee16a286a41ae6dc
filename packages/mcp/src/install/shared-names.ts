import { checkAgentName, nameKey, plainAgentName } from '@agent-relay/protocol';
import { CLIENTS, type Client } from './clients.ts';
import { readConfigFile } from './editing/config-file.ts';
import { isTable, type Table } from './editing/config-format.ts';
import { SERVER_NAME } from './server-command.ts';

/** The agent name of each client: two clients with one name would be one agent with one inbox. */
export function agentNames(name: string | undefined, clients: readonly Client[]): Map<Client, string> {
  if (name === undefined) return new Map();
  const base = plainAgentName(name);
  const nameOf = ({ id }: Client) => checkAgentName(clients.length === 1 ? base : `${base}-${id}`);
  return new Map(clients.map((client) => [client, nameOf(client)]));
}

/** An entry that was installed. */
export interface NamedEntry {
  client: Client;
  name: string;
  /** The name was chosen, so that no session can have another. */
  isFixed: boolean;
  hasHooks: boolean;
}

/** Warnings about others that use the same name. `filesOf` are those a client reads, the strongest first. */
export async function sharedNameWarnings(
  { client, name, isFixed, hasHooks }: NamedEntry,
  filesOf: (client: Client) => string[],
  isGlobal: boolean,
): Promise<string[]> {
  const warnings = [
    `warning: all sessions of ${client.title} here share the name ${name}, even at the same time. ${remedy(isFixed, hasHooks)}`,
  ];
  for (const other of CLIENTS) {
    if (other === client) continue;
    const named = await entriesIn(other, filesOf(other));
    // In this project its first entry counts; in all projects, each does somewhere.
    const same = (isGlobal ? named : named.slice(0, 1)).find(
      (entry) => nameKey(entry.name) === nameKey(name),
    );
    if (!same) continue;
    warnings.push(
      `warning: ${other.title} is also named ${name} (${same.file}): both are one agent and share its messages.`,
    );
  }
  return warnings;
}

function remedy(isFixed: boolean, hasHooks: boolean): string {
  if (!hasHooks) return 'Without --name, each gets its own name.';
  return `${isFixed ? 'Without --name, a session gets' : 'A session gets'} a name of its own with RELAY_AGENT_NAME=NAME.`;
}

async function entriesIn(client: Client, files: string[]): Promise<Array<{ file: string; name: string }>> {
  const entries = await Promise.all(files.map(async (file) => ({ file, name: await nameIn(client, file) })));
  return entries.flatMap(({ file, name }) => (name === undefined ? [] : [{ file, name }]));
}

/** The agent name in a client's file, empty for an entry without one. A file that cannot be read is ignored here. */
async function nameIn(client: Client, file: string): Promise<string | undefined> {
  const text = await readConfigFile(file).catch(() => undefined);
  const parsed = text === undefined ? undefined : client.format.parse(text);
  const servers = tableIn(parsed && 'value' in parsed ? parsed.value : undefined, client.servers);
  const entry = tableIn(servers, SERVER_NAME);
  if (!entry) return undefined;
  const variables = tableIn(entry, 'env') ?? tableIn(entry, 'environment');
  const name = variables?.RELAY_AGENT_NAME ?? variables?.RELAY_HOOKS;
  return typeof name === 'string' ? name : '';
}

function tableIn(table: Table | undefined, key: string): Table | undefined {
  const value = table?.[key];
  return isTable(value) ? value : undefined;
}
