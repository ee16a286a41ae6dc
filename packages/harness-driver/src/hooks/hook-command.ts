import { createRequire } from 'node:module';
import { HOOK_MS } from './hook-deadline.ts';

const PROGRAM = createRequire(import.meta.url).resolve('@agent-relay/harness-driver/hook');

/**
 * A shell's command for a hook. It replaces the shell, so that the CLI is the parent of the process, which ends with it.
 */
export const hookCommand = (socketPath: string, mode?: 'wait' | 'ask'): string =>
  `exec ${[process.execPath, PROGRAM, String(HOOK_MS), socketPath, ...(mode ? [mode] : [])].map(quoted).join(' ')}`;

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
