import type { Reason, RunInfo, RunState } from '@agent-relay/protocol';
import { accountOf } from '../governance/accounts.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { AuditRecord } from '../ports/store/audit.ts';
import type { Run, RunStore } from '../ports/store/runs.ts';
import type { Workspace } from '../ports/store/workspaces.ts';

/** What is unknown of a run before its program starts. */
export const NOT_STARTED = {
  version: undefined,
  host: undefined,
  program: undefined,
  readyAt: undefined,
  endedAt: undefined,
  exit: undefined,
  ended: undefined,
} as const;

/** The programs of agents: the latest of each, in memory and written through to the store. */
export class Runs {
  readonly #store: RunStore;
  readonly #latest = new Map<number, Run>();
  /** What running programs wait for, if only a person can help. */
  readonly #waiting = new Map<number, Reason>();

  constructor(store: RunStore) {
    this.#store = store;
  }

  /** Loads the runs of a workspace that are not known yet; resolves with those of them that had not ended. */
  async load(workspace: Workspace): Promise<Run[]> {
    const stored = await this.#store.latestRuns(workspace.id);
    const found = stored.filter(({ agentId }) => !this.#latest.has(agentId));
    for (const run of found) this.#latest.set(run.agentId, run);
    return found.filter(({ endedAt }) => endedAt === undefined);
  }

  of(agentId: number): Run | undefined {
    return this.#latest.get(agentId);
  }

  byId(id: string): Run | undefined {
    return this.all().find((run) => run.id === id);
  }

  /** The current run of an agent. */
  live(agentId: number): Run | undefined {
    const run = this.#latest.get(agentId);
    return run?.endedAt === undefined ? run : undefined;
  }

  all(): Run[] {
    return [...this.#latest.values()];
  }

  /** The account of an agent's workers: those of a worker count for the agent that spawned it. */
  accountFor(parent: Agent | undefined): string {
    if (!parent) return 'owner';
    // Also after its program has ended: processes it left behind may still use its token.
    const run = this.of(parent.id);
    return (run?.spawned ? run.account : undefined) ?? accountOf(parent);
  }

  /** The running workers of an account. */
  countLive(workspaceId: number, account: string): number {
    return this.all().filter(
      (run) =>
        run.spawned &&
        run.endedAt === undefined &&
        run.workspaceId === workspaceId &&
        run.account === account,
    ).length;
  }

  /** `record` is for the audit log. */
  async save(run: Run, changes: Partial<Run> = {}, record?: AuditRecord): Promise<void> {
    Object.assign(run, changes);
    this.noteStored(run);
    await this.#store.saveRun({ ...run }, record);
  }

  /** A run that was stored with its agent. */
  noteStored(run: Run): void {
    const before = this.#latest.get(run.agentId);
    if (!before || before.startedAt <= run.startedAt) this.#latest.set(run.agentId, run);
  }

  waitingFor(agentId: number): Reason | undefined {
    return this.#waiting.get(agentId);
  }

  /** Returns whether it changed. */
  setWaiting(agentId: number, reason: Reason | undefined): boolean {
    const before = this.#waiting.get(agentId);
    if (reason) this.#waiting.set(agentId, reason);
    else this.#waiting.delete(agentId);
    return before?.text !== reason?.text;
  }

  forget(agentId: number): void {
    this.#latest.delete(agentId);
    this.#waiting.delete(agentId);
  }

  describe(agentId: number): RunInfo | undefined {
    const run = this.of(agentId);
    if (!run) return undefined;
    const { spawned, startedAt, endedAt, exit, ended, version, session, cwd, worktree } = run;
    return {
      state: this.#stateOf(run),
      ...(spawned ? { spawned } : {}),
      startedAt,
      ...(endedAt === undefined ? {} : { endedAt }),
      ...(exit === undefined ? {} : { exit }),
      ...(ended === undefined ? {} : { ended }),
      ...(version === undefined ? {} : { version }),
      ...(session === undefined ? {} : { resumable: true as const }),
      cwd,
      ...(worktree && { worktree: { path: worktree.path, branch: worktree.branch } }),
    };
  }

  #stateOf({ agentId, endedAt, readyAt }: Run): RunState {
    if (endedAt !== undefined) return 'exited';
    if (this.#waiting.has(agentId)) return 'waiting';
    return readyAt === undefined ? 'starting' : 'ready';
  }
}
