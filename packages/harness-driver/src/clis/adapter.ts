import type { ScreenView } from '../screen/view.ts';

/** What an adapter recognises on the screen of its CLI. What it does not recognise for certain is `unknown`. */
export type Reading =
  | { state: 'composer'; draft: string; busy: boolean }
  /** Something asks the person: Enter would answer it. */
  | { state: 'dialog' }
  /** Not ready for its first turn; perhaps because it asks the person something first. */
  | { state: 'starting'; question?: string }
  /** The person is choosing something. */
  | { state: 'menu' }
  /** It has left the terminal to the shell it was started from, and waits to be brought back (SIGCONT). */
  | { state: 'suspended' }
  | { state: 'unknown' };

/** How the relay's MCP server is started for this run. */
export interface ServerEntry {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

export interface RunFacts {
  server: ServerEntry;
  /** What the person gave the CLI. */
  args: readonly string[];
  /** The environment the CLI is started with. */
  env: NodeJS.ProcessEnv;
  /** Writes a private file that is removed when the run ends; resolves with its path. */
  writeFile(name: string, content: string): Promise<string>;
}

/** What this run of the CLI gets, beside what the person gave it. */
export interface RunSetup {
  /** Before the person's own arguments. */
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

/** One agent CLI: how it is given the relay's tools for one run, and how its screen reads. */
export interface CliAdapter {
  /** The command it is started by. */
  readonly word: string;
  configure(run: RunFacts): Promise<RunSetup>;
  /** Without it, nothing is ever typed into this CLI. */
  readonly screen?: ScreenReader;
}

export interface ScreenReader {
  read(view: ScreenView): Reading;
  /** Whether the draft is the text that was pasted, perhaps as the CLI abbreviates it. */
  isPasted(draft: string, text: string): boolean;
}

/** The name of the relay's MCP server in every CLI, the same as `mcp install` gives it. */
export const SERVER_NAME = 'agent-relay';
