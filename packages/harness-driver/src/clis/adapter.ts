import type { ClaimingPath, PromptAnswer, ReasonInput } from '@agent-relay/protocol';
import type { Attention } from '../delivery/attention.ts';
import type { Ingress } from '../delivery/ingress.ts';
import type { ConversationReader } from './conversation.ts';
import type { Reading, ScreenReader } from './reading.ts';
import type { Resumption } from './resumption.ts';

export type { Reading, ScreenReader } from './reading.ts';

/** How the relay's MCP server is started for this run. */
export interface ServerEntry {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

export interface RunFacts {
  /** The program itself. */
  file: string;
  server: ServerEntry;
  /** What the person gave the CLI. */
  args: readonly string[];
  /** The environment the CLI is started with. */
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Use the CLI's own interface for messages, if it has one. */
  native: boolean;
  /** Writes a private file that is removed when the run ends; resolves with its path. */
  writeFile(name: string, content: string): Promise<string>;
  /** Where a socket can be in the private directory of the run; undefined if the path would be too long for one. */
  socketPath(name: string): Promise<string | undefined>;
}

/** What this run of the CLI gets, beside what the person gave it. */
export interface RunSetup {
  /** Before the person's own arguments. */
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** What the person gave, without what the setup took over. */
  given?: readonly string[];
  channel?: Channel;
}

/** Another way into a CLI than its terminal, open for one run. */
export interface Channel extends AsyncDisposable {
  /** Once, when the CLI is started. */
  open(agent: WatchedAgent): ChannelIngress;
}

/** The agent in its terminal, as far as another way needs it. */
export interface WatchedAgent {
  /** What is on the screen now. */
  reading(): Reading;
  /** Resolves with whether the screen showed it working within the time. */
  turnStarts(withinMs: number): Promise<boolean>;
  readonly attention: Attention | undefined;
  /** To be called when the gate may have changed. */
  onChange(): void;
  /** To be called with the conversation that the CLI is in, whenever that is seen. */
  onSession(id: string): void;
}

/** A permission prompt of the CLI, as a person elsewhere gets to see it. */
export interface OpenPrompt {
  /** Of everything that makes up the prompt: no other one has it. */
  digest: string;
  text: string;
}

/** Prompts that the CLI lets others answer than its terminal. */
export interface PromptSource {
  /** The one that is open now. */
  prompt(): OpenPrompt | undefined;
  /** Answers it through the interface of the CLI, never by typing; false if it is not open any more. */
  answer(digest: string, answer: PromptAnswer): boolean;
}

export interface ChannelIngress extends Ingress, Partial<PromptSource> {
  /** Why nothing should go in, by the terminal neither. */
  hold(): ReasonInput | undefined;
  close(): void;
}

/** One agent CLI: how it is given the relay's tools for one run, and how its screen reads. */
export interface CliAdapter {
  /** The command it is started by. */
  readonly word: string;
  configure(run: RunFacts): Promise<RunSetup>;
  /** The paths by which messages reach it in this run; without it, only the terminal. */
  paths?(run: Pick<RunFacts, 'args' | 'native'>): ClaimingPath[];
  /** Without it, a later run cannot go on with its conversation. */
  readonly resumption?: Resumption;
  /** Without it, nothing is ever typed into this CLI. */
  readonly screen?: ScreenReader;
  /** Where its answers are on the screen; without it, every line of the normal screen is taken for one. */
  readonly conversation?: ConversationReader;
}

/** The name of the relay's MCP server in every CLI, the same as `mcp install` gives it. */
export const SERVER_NAME = 'agent-relay';
