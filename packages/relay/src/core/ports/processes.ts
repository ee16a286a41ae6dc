import type { ProcessRef } from '@agent-relay/protocol';

/** How an agent CLI is recognised that the relay does not know by itself. Patterns are regular expressions. */
export interface ConfiguredCli {
  /** The program and its first arguments. */
  command: string[];
  /** The options that choose a model, with `{model}` for its name. */
  model?: string[] | undefined;
  /** How its screen reads; without it nothing is typed into it. */
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

/** An agent that is to be run by a host of its own. */
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
  cwd: string;
  /** The environment it inherits. Default: the daemon's. */
  env: Record<string, string> | undefined;
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
  /** Starts the host of an agent, which outlives the daemon. It introduces itself with HOST. */
  start(program: AgentProgram): Promise<ProcessRef>;
  /** Called when a host ended that this daemon started, with the last of what it complained about. */
  onHostEnded: (run: string, complaint: string) => void;
  isAlive(process: ProcessRef): boolean;
  /**
   * Ends the host and the program with all that runs in the program's terminal: gives them `patienceMs` to end by
   * themselves, asks the host to end, then kills. Resolves when they are gone; a number that another process has by now
   * is left alone.
   */
  end(run: { host: ProcessRef; program: ProcessRef | undefined }, patienceMs: number): Promise<void>;
}
