import { RelayError } from '@agent-relay/protocol';
import type { Client } from './clients.ts';
import { HOOK_MARK } from './hook-edits.ts';
import { agentNames } from './shared-names.ts';

/**
 * A shell's command for a hook, with the same variables as the server's. It replaces the shell, so that the client is the
 * parent of the process, which ends with it.
 */
export const hookCommand = (
  program: readonly string[],
  client: string,
  env: Readonly<Record<string, string>>,
): string => {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`);
  const words = [process.execPath, ...program, client].map(quoted);
  // The shell knows its parent from the start: the process may find that it has none any more.
  return ['exec env', `${HOOK_MARK}${client}`, 'RELAY_HOOK_PARENT=$PPID', ...variables, ...words].join(' ');
};

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** A hook has to know the name of its agent: without a chosen one, it is that of the client. */
export const hookedNames = (name: string | undefined, clients: readonly Client[]): Map<Client, string> =>
  name === undefined
    ? new Map(clients.filter(({ hooks }) => hooks).map((client) => [client, client.id]))
    : agentNames(name, clients);

export function hookProgramFor({ hookProgram }: { hookProgram?: readonly string[] }): readonly string[] {
  if (hookProgram) return hookProgram;
  throw new RelayError('InvalidRequest', 'This program has no hooks for clients.', {
    next: 'Run: agent-relay mcp install --hooks',
  });
}
