import { createRequire } from 'node:module';

const PROGRAM = createRequire(import.meta.url).resolve('@agent-relay/harness-driver/hook');

/**
 * A shell's command for a hook. It replaces the shell, so that the CLI is the parent of the process, which ends with it.
 */
export const hookCommand = (...args: string[]): string =>
  `exec ${[process.execPath, PROGRAM, ...args].map(quoted).join(' ')}`;

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
