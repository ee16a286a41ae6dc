import { checkAgentName, nameKey, plainAgentName } from '@agent-relay/protocol';
import { CLIENTS, type Client } from './clients.ts';
import { readConfigFile } from './config-file.ts';
import { isTable, type Table } from './config-format.ts';
import { SERVER_NAME } from './server-command.ts';

/** What the agent of each client is called: two clients under one name would be one agent with one inbox. */
export function agentNames(name: string | undefined, clients: readonly Client[]): Map<Client, string> {
  if (name === undefined) return new Map();
  const base = plainAgentName(name);
  const nameOf = ({ id }: Client) => checkAgentName(clients.length === 1 ? base : `${base}-${id}`);
  return new Map(clients.map((client) => [client, nameOf(client)]));
}

/** What a person should know before they give a client a name: who has it as well. */
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

/** The name that the file of a client gives its agent. A file that cannot be read is not our business here. */
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
