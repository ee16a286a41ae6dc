import type { Attention, ClaimingPath, PromptAnswer, PromptAsk, ReasonInput } from '@agent-relay/protocol';
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
  /** The person's arguments for the CLI. */
  args: readonly string[];
  /** The environment the CLI is started with. */
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Use the CLI's native interface for messages, if it has one. */
  native: boolean;
  /** Writes a private file that is removed when the run ends; resolves with its path. */
  writeFile(name: string, content: string): Promise<string>;
  /** A path for a socket in the run's private directory; undefined if it would be too long. */
  socketPath(name: string): Promise<string | undefined>;
}

/** What a run adds to the person's arguments. */
export interface RunSetup {
  /** Before the person's own arguments. */
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** The person's arguments without those that the setup replaces. */
  given?: readonly string[];
  channel?: Channel;
}

/** A delivery path other than the terminal, open for one run. */
export interface Channel extends AsyncDisposable {
  /** Once, when the CLI is started. */
  open(agent: WatchedAgent): ChannelIngress;
}

/** What such a path needs to know of the agent's terminal. */
export interface WatchedAgent {
  /** The current screen. */
  reading(): Reading;
  /** Whether somebody typed in its terminal within the time. */
  typedWithin(ms: number): boolean;
  /** Resolves with whether the screen showed it working within the time. */
  turnStarts(withinMs: number, isStill: () => boolean): Promise<boolean>;
  /** When it wants its messages while it works; may change. */
  readonly attention: Attention | undefined;
  /** Call it when the gate may have changed. */
  onChange(): void;
  /** Call it with the CLI's conversation whenever that is known. */
  onSession(id: string): void;
}

/** A permission prompt of the CLI, for a person elsewhere. */
export interface OpenPrompt {
  /** A digest of everything that the CLI said about it; unique to it. */
  key: string;
  /** All that it asks for; undefined if that is too long to be passed on. */
  ask: PromptAsk | undefined;
}

/** Prompts that can be answered outside the CLI's terminal. */
export interface PromptSource {
  /** The currently open one. */
  prompt(): OpenPrompt | undefined;
  /** Answers it through the interface of the CLI, never by typing; resolves with false if it is not open any more. */
  answer(key: string, answer: PromptAnswer): Promise<boolean>;
}

export interface ChannelIngress extends Ingress, Partial<PromptSource> {
  /** Why nothing should be delivered, not even through the terminal. */
  hold(): ReasonInput | undefined;
  close(): void;
}

/** One agent CLI: how a run gives it the relay's tools, and how its screen is read. */
export interface CliAdapter {
  /** The command that starts it. */
  readonly word: string;
  /** The versions that it was tried with; in others each path has to prove that it works. */
  readonly proven?: readonly string[];
  /** Its first turn may begin before it has the relay's tools: the first message waits for them. */
  readonly beginsWithoutTools?: true;
  configure(run: RunFacts): Promise<RunSetup>;
  /** The paths by which messages reach it in this run; without it, only the terminal. */
  paths?(run: Pick<RunFacts, 'args' | 'native'>): ClaimingPath[];
  /** Without it, a later run cannot continue its conversation. */
  readonly resumption?: Resumption;
  /** Without it, nothing is ever typed into this CLI. */
  readonly screen?: ScreenReader;
  /** Finds its answers on the screen; without it, every line of the normal screen counts as one. */
  readonly conversation?: ConversationReader;
}

/** The name of the relay's MCP server in every CLI, the same as with `mcp install`. */
export const SERVER_NAME = 'agent-relay';
