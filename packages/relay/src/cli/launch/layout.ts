import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { systemReason } from '@agent-relay/platform';
import { RelayError } from '@agent-relay/protocol';

/** A shell with a command at its prompt. */
export interface Pane {
  title: string;
  command: string;
  /** Whether to press Enter too; a role's command waits for the user. */
  runs: boolean;
  /** Environment variables of this shell. */
  env?: Record<string, string>;
}

export interface Layout {
  name: string;
  panes: [Pane, ...Pane[]];
  directory: string;
  env: Record<string, string>;
}

/** The variables that the shells of a layout inherit; none is secret. */
const HANDED_ON = [
  'RELAY_DATA_DIR',
  'RELAY_CONFIG',
  'RELAY_PROJECT',
  'RELAY_PROJECT_ROOT',
  'RELAY_HTTP_PORT',
];

export const handedOn = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(HANDED_ON.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));

/** Runs a program that opens windows; resolves with its output. */
export async function control(program: string, args: readonly string[], input = ''): Promise<string> {
  const child = spawn(program, args, { stdio: 'pipe' });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // A program that exits early does not read its input; its exit code has the reason.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [output, complaint, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]).catch(
    (cause: unknown) => {
      const reason = systemReason(cause, 'not installed');
      throw failure(`Cannot start ${program}: ${reason}.`, program, cause);
    },
  );
  if (code === 0) return output.trim();
  throw failure(`${program} ${args[0]} failed: ${complaint.trim() || `exit code ${code}`}`, program);
}

const failure = (message: string, program: string, cause?: unknown): RelayError =>
  new RelayError('ProgramFailed', message, {
    next: `Install or configure ${program}, or run without it: agent-relay launch`,
    cause,
  });
