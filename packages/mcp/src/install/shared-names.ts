import { checkAgentName, nameKey, plainAgentName } from '@agent-relay/protocol';
import { CLIENTS, type Client } from './clients.ts';
import { readConfigFile } from './config-file.ts';
import { isTable, type Table } from './config-format.ts';
import { SERVER_NAME } from './server-command.ts';

/** The agent name of each client: two clients with one name would be one agent with one inbox. */
export function agentNames(name: string | undefined, clients: readonly Client[]): Map<Client, string> {
  if (name === undefined) return new Map();
  const base = plainAgentName(name);
  const nameOf = ({ id }: Client) => checkAgentName(clients.length === 1 ? base : `${base}-${id}`);
  return new Map(clients.map((client) => [client, nameOf(client)]));
}

/** Warnings about others that use the same name. */
export async function sharedNameWarnings(
  client: Client,
  name: string,
  fileOf: (client: Client) => string,
): Promise<string[]> {
  const warnings = [
    `warning: all sessions of ${client.title} here share the name ${name}, even at the same time. Without --name, each gets its own name.`,
  ];
  for (const other of CLIENTS) {
    if (other === client) continue;
    const file = fileOf(other);
    if (nameKey((await nameIn(other, file)) ?? '') !== nameKey(name)) continue;
    warnings.push(
      `warning: ${other.title} is also named ${name} (${file}): both are one agent and share its messages.`,
    );
  }
  return warnings;
}

/** The agent name in a client's file. A file that cannot be read is ignored here. */
async function nameIn(client: Client, file: string): Promise<string | undefined> {
  const text = await readConfigFile(file).catch(() => undefined);
  const parsed = text === undefined ? undefined : client.format.parse(text);
  const servers = tableIn(parsed && 'value' in parsed ? parsed.value : undefined, client.servers);
  const entry = tableIn(servers, SERVER_NAME);
  const variables = tableIn(entry, 'env') ?? tableIn(entry, 'environment');
  const name = variables?.RELAY_AGENT_NAME;
  return typeof name === 'string' ? name : undefined;
}

function tableIn(table: Table | undefined, key: string): Table | undefined {
  const value = table?.[key];
  return isTable(value) ? value : undefined;
}
