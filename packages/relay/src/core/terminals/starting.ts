import { RelayError, shellWord } from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { Presence } from '../directory/presence.ts';
import type { Workspaces } from '../directory/workspaces.ts';
import type { Quotas } from '../governance/quotas.ts';
import type { AgentProgram, ConfiguredCli, Processes } from '../ports/processes.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { AuditRecord } from '../ports/store/audit.ts';
import type { Run } from '../ports/store/runs.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import type { Principal } from '../principal.ts';
import { cliOf } from './clis.ts';
import { exitText } from './exit-text.ts';
import type { Hosts } from './hosts.ts';
import type { Runs } from './runs.ts';

interface Parts {
  runs: Runs;
  hosts: Hosts;
  agents: Agents;
  presence: Presence;
  workspaces: Workspaces;
  quotas: Quotas;
  processes: Processes;
  clis: Readonly<Record<string, ConfiguredCli>>;
}

/** What a run is started with, beside what is stored of it. */
type Start = Pick<AgentProgram, 'token' | 'file' | 'env' | 'resume'>;

/** Why an agent was not started. */
interface Failure {
  /** How its run ended. */
  ended: string;
  /** More about it, for the audit log. */
  reason?: string;
  /** Why its worktree was kept, if it was. */
  kept?: string | undefined;
}

/** A run that is being started. */
interface Beginning {
  stopping: AbortController;
  /** It has started, or what was done for it is undone. */
  settled: Promise<unknown>;
}

/** Starts the programs of agents, of new ones and of those that are resumed. */
export class Starting {
  readonly #parts: Parts;
  readonly #beginning = new Map<string, Beginning>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Stores a run if the account may have one more worker: while it is being stored, it counts as one. */
  async within<T>(workspaceId: number, account: string, store: () => Promise<T>): Promise<T> {
    const { quotas, runs } = this.#parts;
    const counted = quotas.spawning(workspaceId, account, runs.countLive(workspaceId, account));
    try {
      return await store();
    } finally {
      counted();
    }
  }

  /** Prepares and starts a run that is stored. `work` undoes what it has done if it fails, or is stopped by the signal. */
  async begin(run: Run, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const stopping = new AbortController();
    const done = work(stopping.signal);
    this.#beginning.set(run.id, { stopping, settled: done.catch(() => undefined) });
    try {
      await done;
    } finally {
      this.#beginning.delete(run.id);
    }
  }

  /** A run that is still being started is not started. Resolves when that is certain. */
  async stop(run: Run): Promise<void> {
    const beginning = this.#beginning.get(run.id);
    beginning?.stopping.abort();
    await beginning?.settled;
  }

  /** Starts the host of a run that is stored. It is stored too before it does anything. */
  async start(
    workspace: Workspace,
    agent: Agent,
    run: Run,
    start: Start,
    signal: AbortSignal,
  ): Promise<void> {
    const { runs, processes, presence, clis } = this.#parts;
    if (signal.aborted) throw this.failure(agent, run);
    const { id, cli, args, model, cwd } = run;
    const { configured } = cliOf(cli, clis);
    const who = { run: id, name: agent.name, project: workspace.name };
    const program = { ...who, ...start, cli, configured, args, model, cwd };
    await processes.start(program, async (host) => {
      await runs.save(run, { host });
      if (signal.aborted || run.endedAt !== undefined) throw this.failure(agent, run);
    });
    presence.tell(workspace.id, { type: 'session.started', agent: agent.name });
  }

  /** That an agent is started, for the audit log: stored before anything is done. */
  record(
    principal: Principal,
    action: 'agent.spawned' | 'agent.resumed',
    agent: string,
    { cli, cwd, args, worktree }: Pick<Run, 'cli' | 'cwd' | 'args' | 'worktree'>,
  ): AuditRecord {
    const detail = { cli, cwd, args, ...(worktree && { branch: worktree.branch }) };
    return this.#parts.workspaces.record(principal, principal.workspace, action, agent, detail);
  }

  /** It was not started, or ended right away: records why. */
  async failed(
    principal: Principal,
    action: 'agent.spawn_failed' | 'agent.resume_failed',
    agent: Agent,
    run: Run,
    { ended, reason = ended, kept }: Failure,
  ): Promise<void> {
    const { hosts, workspaces } = this.#parts;
    const detail = { reason, ...(kept === undefined ? {} : { worktree: run.worktree?.path, kept }) };
    const record = workspaces.record(principal, principal.workspace, action, agent.name, detail);
    if (run.endedAt === undefined) await hosts.ended(run, { ended }, record);
    else await workspaces.append(record);
  }

  /** The same for an agent that was to be spawned: its name is free again. */
  async withdraw(principal: Principal, agent: Agent, run: Run, why: Failure): Promise<void> {
    const { agents, presence } = this.#parts;
    await this.failed(principal, 'agent.spawn_failed', agent, run, why);
    if (!agents.byId(agent.id)) return;
    presence.end({ kind: 'agent', agentId: agent.id });
    await agents.remove(agent);
    presence.tell(agent.workspaceId, { type: 'agent.removed', agent: agent.name });
  }

  /** The error for a program that ended before it was ready; `next` is for one that started. */
  failure(agent: Agent, run: Run | undefined, next?: string): RelayError {
    const { hosts } = this.#parts;
    const who = `"${agent.name}" (${agent.cli})`;
    if (!run || hosts.isReleasing(run))
      return new RelayError('SpawnFailed', `${who} was released before it was ready.`, {
        next: 'Spawn it again if it is still needed.',
      });
    if (run.exit)
      return new RelayError('SpawnFailed', `${who} ended before it was ready${exitText(run.exit)}.`, {
        next: next ?? this.#trial(run),
      });
    const advice = hosts.adviceOn(run);
    const why = run.ended?.replace(/\.$/, '');
    return new RelayError(
      'SpawnFailed',
      `${who} could not be started: ${why}.`,
      advice ? { next: advice } : {},
    );
  }

  /** A worktree is removed with the agent, so its directory is not named. */
  #trial({ cli, args, cwd, worktree }: Run): string {
    const { configured } = cliOf(cli, this.#parts.clis);
    const command = [...(configured?.command ?? [cli]), ...args].map(shellWord).join(' ');
    return `Start it in a terminal to see why${worktree ? '' : `, in ${cwd}`}: ${command}`;
  }
}

/** The program has ended, and was never ready. */
export const endedEarly = (run: Run | undefined): boolean =>
  !run || (run.endedAt !== undefined && run.readyAt === undefined);
