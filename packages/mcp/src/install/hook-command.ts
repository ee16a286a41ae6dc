import { RelayError } from '@agent-relay/protocol';
import { HOOK_MARK } from './editing/hook-edits.ts';
import type { ServerCommand } from './server-command.ts';

/** The process of a hook: its program, for which client, with the same variables as the server. */
export interface HookStart {
  program: readonly string[];
  client: string;
  env: Readonly<Record<string, string>>;
  /** The plugin that starts it, for clients that have plugins. */
  plugin: string;
}

/**
 * A shell's command for a hook. It replaces the shell, so that the client is the parent of the process, which ends with
 * it.
 */
export const hookCommand = ({ program, client, env }: HookStart): string => {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`);
  const words = [process.execPath, ...program, client].map(quoted);
  // The shell knows its parent from the start; the process may start after the parent has ended.
  return ['exec env', `${HOOK_MARK}${client}`, 'RELAY_HOOK_PARENT=$PPID', ...variables, ...words].join(' ');
};

/** The program that hooks run, which is not in this package: a file and its first arguments, and a plugin that starts it. */
export type HookProgram = Pick<HookStart, 'program' | 'plugin'>;

/** Without `RELAY_HOOKS`, which only the server reads. */
export function hookEnvironment({ env }: ServerCommand): Record<string, string> {
  const { RELAY_HOOKS, ...rest } = env;
  return rest;
}

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

export function hookProgramFor({ hookProgram }: { hookProgram?: HookProgram }): HookProgram {
  if (hookProgram) return hookProgram;
  throw new RelayError('InvalidRequest', 'This program has no hooks for clients.', {
    next: 'Run: agent-relay mcp install --hooks',
  });
}
