import type { ProcessRef, RunExit, WorkerResult } from '@agent-relay/protocol';

/** A program that ran, or runs, as an agent in a terminal of the relay. */
export interface Run {
  /** Unique everywhere. */
  id: string;
  workspaceId: number;
  agentId: number;
  /** The relay started it, rather than a person in their own terminal. */
  spawned: boolean;
  /** The agent it works for. */
  parentId: number | undefined;
  /** Whom it counts for among the workers that run at the same time. */
  account: string | undefined;
  cli: string;
  model: string | undefined;
  /** What whoever started it gave the CLI. */
  args: string[];
  cwd: string;
  version: string | undefined;
  /** The CLI's own id of its conversation. */
  session: string | undefined;
  /** The process that holds the terminal; unknown until it is started. */
  host: ProcessRef | undefined;
  /** The CLI itself; unknown until the host tells. */
  program: ProcessRef | undefined;
  startedAt: number;
  readyAt: number | undefined;
  endedAt: number | undefined;
  exit: RunExit | undefined;
  /** Why it ended, where the exit code does not say it. */
  ended: string | undefined;
  /** What the agent said last of its work. */
  result: WorkerResult | undefined;
}

export interface RunStore {
  /** Stores a run, or what has changed of it. */
  saveRun(run: Run): Promise<void>;
  /** The latest run of each agent of the workspace that was not removed, in the order of the agents. */
  latestRuns(workspaceId: number): Promise<Run[]>;
}
