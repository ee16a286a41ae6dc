import type { ProcessRef, RunChoices, RunExit, WorkerResult } from '@agent-relay/protocol';
import type { Worktree } from '../worktrees.ts';
import type { AuditRecord } from './audit.ts';

/** A program that ran, or runs, as an agent in a terminal of the relay. */
export interface Run {
  /** Unique everywhere. */
  id: string;
  workspaceId: number;
  agentId: number;
  /** The id of the request to spawn it: sent again, that is the same request. */
  request: string | undefined;
  /** The relay started it, rather than a person in their own terminal. */
  spawned: boolean;
  /** The agent it works for. */
  parentId: number | undefined;
  /** The account it counts for as a running worker. */
  account: string | undefined;
  cli: string;
  model: string | undefined;
  /** The arguments for the CLI. */
  args: string[];
  /** How a person started it. */
  choices: RunChoices | undefined;
  cwd: string;
  /** Its own, in which `cwd` is. */
  worktree: Worktree | undefined;
  version: string | undefined;
  /** The CLI's own conversation id. */
  session: string | undefined;
  /** The process that holds the terminal; unknown until it has started. */
  host: ProcessRef | undefined;
  /** The CLI itself; unknown until the host reports it. */
  program: ProcessRef | undefined;
  startedAt: number;
  readyAt: number | undefined;
  endedAt: number | undefined;
  exit: RunExit | undefined;
  /** Why it ended, if the exit code does not say. */
  ended: string | undefined;
  /** The agent's last report of its work. */
  result: WorkerResult | undefined;
}

export interface RunStore {
  /** Stores a run, or its changes, with a record of why, if there is one. Only the latest few of an agent are kept. */
  saveRun(run: Run, record?: AuditRecord): Promise<void>;
  /** The latest run of each agent of the workspace that was not removed, in the order of the agents. */
  latestRuns(workspaceId: number): Promise<Run[]>;
}
