import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The directories of a command line agent during a test. */
export interface CliSandbox {
  /** Its own HOME. */
  home: string;
  /** The directory it works in. */
  project: string;
  modelUrl: string;
  /** It asks before it runs commands. */
  asks?: boolean;
  /** The user has not said yet whether the project is to be trusted. */
  untrusted?: boolean;
  /** Its user has switched off all hooks and plugins. */
  withoutHooks?: boolean;
}

/** A real command line agent, and how to run it without a person, a network or an account. */
export interface AgentCli {
  /** Also what the relay's installer calls it. */
  readonly id: string;
  readonly title: string;
  readonly package: string;
  readonly version: string;
  /** Other versions that passed the same checks before. */
  readonly earlier?: readonly string[];
  readonly command: string;
  /** Writes the settings of a user who has answered every question, with the model of the test. */
  settle(sandbox: CliSandbox): Promise<void>;
  variables(sandbox: CliSandbox): Record<string, string>;
  /** Lists the MCP servers; `connected` is how it shows one that answers. */
  readonly list: { args: string[]; connected: RegExp };
  /** How to use it in a terminal, if the tests support that. */
  readonly terminal?: {
    /** Its arguments, if it asks before it runs commands, and if not. */
    args(asks: boolean): string[];
    /** What its screen shows when it waits for its first prompt. */
    readonly ready: RegExp;
    /** The best path of its messages; the next one is the terminal itself. */
    readonly path: 'native' | 'hook' | 'pty';
    /** Before its first turn, messages are typed. */
    readonly typesFirst?: boolean;
    /** It has an interface of its own for messages, which is used on demand. */
    readonly native?: boolean;
    /** More arguments for a run without the relay. */
    readonly plainArgs?: readonly string[];
    /** The arguments with which it runs hooks that nobody has reviewed. */
    readonly trustHooks?: readonly string[];
    /** A file in its home that only the user changes. */
    readonly settings: string;
    /** It takes the relay's tools from its settings only: `agent-relay mcp install` has to enter them. */
    readonly needsInstall?: boolean;
    /** It tries again for a while if its model has a usage limit, so that its screen shows that it works. */
    readonly retriesAtLimit?: boolean;
    /** The files in its home with its conversations, as a pattern, if they can be gone on with. */
    readonly conversations?: string;
    /** The keys that suspend it. */
    readonly suspend: string;
    /** A step with which the model runs a shell command, and what it says about it. */
    shell(command: string, asks: boolean, description?: string): string;
    /** What is on its screen while it asks whether it may. */
    readonly dialog: RegExp;
    /** Its permission prompts can be answered by its own interface. */
    readonly answersPrompts?: boolean;
    /** What is on its screen while it asks whether to trust the directory, the key that chooses yes, and what is there then. */
    readonly trust?: { question: RegExp; choose: string; chosen: RegExp };
    /** A step with which the model asks the person something, what is on the screen then, and the mode in which it can. */
    readonly question?: { step: string; open: RegExp; mode?: { keys: string; shown: RegExp } };
    /** The command that opens a menu, what is on the screen when it is typed, and when the menu is open. */
    readonly menu: { command: string; typed: RegExp; open: RegExp };
    /** What is on the screen when the command for a new session is typed, if its own interface is used. */
    readonly newSession?: RegExp;
    /** The keys that begin a new line in the composer. */
    readonly newLine: string;
  };
  /** It lists the tools of a server once, whatever the server tells it later. */
  readonly keepsTools?: boolean;
  /** How to pass a prompt; a client without it gets none. */
  ask?(prompt: string): { args: string[]; input?: string };
}

export async function writeHome({ home }: CliSandbox, path: string, content: unknown): Promise<void> {
  const file = join(home, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2));
}

/** A proxy where nothing listens, so that requests to other machines fail right away. */
export const NO_WAY_OUT: Record<string, string> = Object.fromEntries(
  ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => [name, 'http://127.0.0.1:9']),
);
