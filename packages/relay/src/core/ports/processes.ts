import type { ProcessRef } from '@agent-relay/protocol';

/** How to recognize an agent CLI that is not built in. Patterns are regular expressions. */
export interface ConfiguredCli {
  /** The program and its first arguments. */
  command: string[];
  /** The options to choose a model, with `{model}` for its name. */
  model?: string[] | undefined;
  /** The options that start a conversation with an id, and resume it; `{session}` stands for the id. */
  conversation?: { begin: string[]; resume: string[] } | undefined;
  /** How to read its screen; without it nothing is typed into it. */
  screen?:
    | {
        /** The prompt of its composer: what follows it on the row of the cursor is the draft. */
        composer: string;
        /** On the screen while it works. */
        busy?: string | undefined;
        /** On the screen while it asks the person something. */
        dialog?: string | undefined;
        /** On the screen before it is ready for its first turn. */
        starting?: string | undefined;
      }
    | undefined;
}

/** An agent to run in its own host. */
export interface AgentProgram {
  run: string;
  name: string;
  token: string;
  project: string;
  cli: string;
  configured: ConfiguredCli | undefined;
  /** Found before. */
  file: string;
  args: string[];
  model: string | undefined;
  /** The conversation of an earlier run, to resume it. */
  resume: string | undefined;
  cwd: string;
  /** The environment it inherits. Default: the daemon's. */
  env: Record<string, string> | undefined;
}

/** Why a host could not run its program, and what to do. */
export interface HostComplaint {
  message: string;
  next?: string;
}

/** The programs of agents as processes of this machine. */
export interface Processes {
  /**
   * Finds a program as a shell would, in the PATH of the environment, and the directory to run it in. Throws
   * `CommandNotFound` or `InvalidRequest`. `isInside`: the directory is the root or below it, links resolved.
   */
  locate(wanted: {
    command: string;
    cwd: string | undefined;
    root: string | undefined;
    env: Record<string, string> | undefined;
  }): Promise<{ file: string; cwd: string; isInside: boolean }>;
  /**
   * Starts the host of an agent, which outlives the daemon. It does nothing before `record` has resolved, and ends at once if
   * that rejects or the daemon ends: a host that has started a program is recorded. Then it introduces itself with HOST.
   */
  start(program: AgentProgram, record: (host: ProcessRef) => Promise<void>): Promise<void>;
  /** Called when a host started by this daemon has ended, with why, if it said so. */
  onHostEnded: (run: string, complaint: HostComplaint | undefined) => void;
  isAlive(process: ProcessRef): boolean;
  /** Whether both run, and the process was started by the host, or by what the host has started. */
  isBelow(process: ProcessRef, host: ProcessRef): boolean;
  /** Whether the process has ended by itself within the time. */
  isGone(process: ProcessRef, withinMs: number): Promise<boolean>;
  /**
   * Ends a host that this daemon, or one before it, has started, and the program below it with all that runs in the program's
   * terminal: gives them `patienceMs` to end by themselves, asks the host to end, then kills. Resolves when they are gone; a
   * process that reuses the id is left alone. Never for a process that only a client has named.
   */
  end(run: { host: ProcessRef; program: ProcessRef | undefined }, patienceMs: number): Promise<void>;
}
