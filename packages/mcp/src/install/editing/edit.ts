import { isDeepStrictEqual } from 'node:util';
import { RelayError } from '@agent-relay/protocol';
import type { Client } from '../clients.ts';
import { SERVER_NAME } from '../server-command.ts';
import { type Entry, isTable, type Table } from './config-format.ts';

/** The text of a client's file after an edit, and the relay's entry before and after it. */
export interface Edit {
  text: string;
  old: Table | undefined;
  now: Table | undefined;
}

/** Adds the relay; the text stays the same if it is already there. */
export function withEntry(client: Client, file: string, text: string, entry: Entry): Edit {
  const before = parse(client, file, text);
  const servers = serversIn(client, file, before) ?? {};
  const old = entryIn(servers);
  const now = merged(old, entry);
  if (isSame(old, now)) return { text, old, now };
  const edited = client.format.set(text, client.servers, SERVER_NAME, entry);
  const expected = { ...before, [client.servers]: { ...servers, [SERVER_NAME]: now } };
  return { text: checked(client, file, edited, expected), old, now };
}

/** Removes the relay; the text stays the same if it is not there. */
export function withoutEntry(client: Client, file: string, text: string): Edit {
  const before = parse(client, file, text);
  const servers = serversIn(client, file, before);
  if (servers?.[SERVER_NAME] === undefined) return { text, old: undefined, now: undefined };
  const { [SERVER_NAME]: _removed, ...others } = servers;
  const { [client.servers]: _servers, ...rest } = before;
  const edited = client.format.remove(text, client.servers, SERVER_NAME);
  const expected = Object.keys(others).length === 0 ? rest : { ...rest, [client.servers]: others };
  return { text: checked(client, file, edited, expected), old: entryIn(servers), now: undefined };
}

/** Whether the text is equivalent to a new file. */
export function isAsNew(client: Client, text: string): boolean {
  const bare = (content: string) => content.replaceAll(/\s/g, '');
  return [bare(client.newFile ?? ''), '{}', ''].includes(bare(text));
}

function parse(client: Client, file: string, text: string): Table {
  const parsed = client.format.parse(text);
  if ('value' in parsed) return parsed.value;
  const { problem, line, column } = parsed;
  throw new RelayError('InvalidClientConfig', `${file}:${line}:${column} cannot be parsed: ${problem}.`);
}

function serversIn(client: Client, file: string, value: Table): Table | undefined {
  const servers = value[client.servers];
  if (servers === undefined || isTable(servers)) return servers;
  throw new RelayError(
    'InvalidClientConfig',
    `${file} has a "${client.servers}" that is not a table of servers.`,
  );
}

const entryIn = ({ [SERVER_NAME]: entry }: Table): Table | undefined =>
  entry === undefined ? undefined : isTable(entry) ? entry : {};

/** Our fields take precedence, other fields stay; the same for the environment variables. */
function merged(old: Table | undefined, entry: Entry): Table {
  const result: Table = { ...old };
  for (const [key, value] of Object.entries(entry)) {
    result[key] = isTable(value) && isTable(result[key]) ? { ...result[key], ...value } : value;
  }
  return result;
}

/** An edit is accepted only if the result parses to exactly the intended value. */
function checked(client: Client, file: string, edited: string, expected: Table): string {
  const result = client.format.parse(edited);
  if ('value' in result && isSame(withoutEmpty(client, result.value), expected)) return edited;
  throw new RelayError(
    'InvalidClientConfig',
    `${file} writes "${client.servers}" in a form that cannot be edited safely.`,
    { next: `Edit the entry "${SERVER_NAME}" by hand; docs/clients.md shows it.` },
  );
}

function withoutEmpty(client: Client, { [client.servers]: servers, ...rest }: Table): Table {
  const isEmpty = isTable(servers) && Object.keys(servers).length === 0;
  return isEmpty || servers === undefined ? rest : { ...rest, [client.servers]: servers };
}

/** Compares by content: the tables of a parser may have no prototype. */
const isSame = (one: unknown, other: unknown) => isDeepStrictEqual(plain(one), plain(other));

const plain = (value: unknown): unknown =>
  value === undefined
    ? undefined
    : JSON.parse(JSON.stringify(value, (_key, inner) => (typeof inner === 'bigint' ? `${inner}n` : inner)));
