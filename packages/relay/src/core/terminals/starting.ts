import { RelayError, shellWord } from '@agent-relay/protocol';
import type { Presence } from '../directory/presence.ts';
import type { Workspaces } from '../directory/workspaces.ts';
import type { Quotas } from '../governance/quotas.ts';
import type { AgentProgram, ConfiguredCli, Processes } from '../ports/processes.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { Run } from '../ports/store/runs.ts';
import type { Principal } from '../principal.ts';
import { cliOf } from './clis.ts';
import { exitText } from './exit-text.ts';
import type { Hosts } from './hosts.ts';
import type { Runs } from './runs.ts';

interface Parts {
  runs: Runs;
  hosts: Hosts;
  presence: Presence;
  workspaces: Workspaces;
  quotas: Quotas;
  processes: Processes;
  clis: Readonly<Record<string, ConfiguredCli>>;
}

/** What a run is started with, beside what is stored of it. */
type Start = Pick<AgentProgram, 'token' | 'file' | 'env' | 'resume'>;

/** Starts the programs of agents, of new ones and of those that are resumed. */
export class Starting {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Does the work if the account may have one more worker; until it is done, it counts as one. */
  async within<T>(workspaceId: number, account: string, work: () => Promise<T>): Promise<T> {
    const { quotas, runs } = this.#parts;
    const counted = quotas.spawning(workspaceId, account, runs.countLive(workspaceId, account));
    try {
      return await work();
    } finally {
      counted();
    }
  }

  /** Starts the host of a run that is stored. */
  async start(project: string, agent: Agent, run: Run, start: Start): Promise<void> {
    const { runs, processes, clis } = this.#parts;
    const { id, cli, args, model, cwd } = run;
    const { configured } = cliOf(cli, clis);
    const who = { run: id, name: agent.name, project };
    const host = await processes.start({ ...who, ...start, cli, configured, args, model, cwd });
    await runs.save(run, { host });
  }

  /** It has started: records it in the audit log and notifies watchers. */
  async started(
    principal: Principal,
    action: 'agent.spawned' | 'agent.resumed',
    agent: Agent,
    { cli, cwd, args, worktree }: Run,
  ): Promise<void> {
    const { workspaces, presence } = this.#parts;
    const { workspace } = principal;
    const detail = { cli, cwd, args, ...(worktree && { branch: worktree.branch }) };
    await workspaces.audit(principal, workspace, action, agent.name, detail);
    presence.tell(workspace.id, { type: 'session.started', agent: agent.name });
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
