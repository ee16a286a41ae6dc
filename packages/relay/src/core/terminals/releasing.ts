import { type LeftWorktree, type OperationResult, RelayError } from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { Presence } from '../directory/presence.ts';
import type { Workspaces } from '../directory/workspaces.ts';
import type { Clock } from '../ports/clock.ts';
import type { Processes } from '../ports/processes.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { Run } from '../ports/store/runs.ts';
import { type Principal, relayItself } from '../principal.ts';
import type { Hosts } from './hosts.ts';
import { requireMayRelease } from './permissions.ts';
import type { Runs } from './runs.ts';
import type { Starting } from './starting.ts';
import type { Workplaces } from './workplaces.ts';

interface Parts {
  runs: Runs;
  hosts: Hosts;
  agents: Agents;
  presence: Presence;
  workspaces: Workspaces;
  processes: Processes;
  workplaces: Workplaces;
  starting: Starting;
  clock: Clock;
}

/** A host gives its program five seconds before it kills it; this covers the rest. */
const HOST_MS = 8000;

/** Ends the programs of agents, and removes spawned agents. */
export class Releasing {
  readonly #parts: Parts;
  readonly #open = new Map<string, Promise<LeftWorktree | undefined>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether this run was released. */
  isReleasing(run: Run): boolean {
    return this.#open.has(run.id);
  }

  async release(principal: Principal, name: string, reason?: string): Promise<OperationResult<'RELEASE'>> {
    const { agents, runs } = this.#parts;
    const agent = agents.get(principal.workspace, name);
    const run = runs.of(agent.id);
    if (!run || (run.endedAt !== undefined && !run.spawned))
      throw new RelayError('NotRunning', `${agent.name} does not run in a terminal of the relay.`, {
        next: `To remove the agent: agent-relay agent remove ${agent.name}`,
      });
    requireMayRelease(principal, agent, run);
    const worktree = await this.#once(principal, agent, run, reason);
    const { exit } = run;
    return { name: agent.name, ...(exit && { exit }), ...(worktree && { worktree }) };
  }

  /** For the relay itself, when the parent is gone. */
  async releaseOrphan(run: Run): Promise<void> {
    const { agents, workspaces } = this.#parts;
    const agent = agents.byId(run.agentId);
    if (!agent) return;
    const workspace = workspaces.byId(run.workspaceId);
    const relay = relayItself(workspace, await agents.system(workspace));
    await this.#once(relay, agent, run, 'the agent it worked for is gone');
  }

  /** Concurrent requests wait for the same end. Resolves with what there is to say about the worktree. */
  async #once(
    principal: Principal,
    agent: Agent,
    run: Run,
    reason: string | undefined,
  ): Promise<LeftWorktree | undefined> {
    const ending = this.#open.get(run.id) ?? this.#release(principal, agent, run, reason);
    this.#open.set(run.id, ending);
    try {
      return await ending;
    } finally {
      this.#open.delete(run.id);
    }
  }

  async #release(
    principal: Principal,
    agent: Agent,
    run: Run,
    reason: string | undefined,
  ): Promise<LeftWorktree | undefined> {
    const { agents, presence, workplaces } = this.#parts;
    const audit = (action: string, detail: Record<string, unknown>) =>
      this.#parts.workspaces.audit(principal, principal.workspace, action, agent.name, detail);
    const why = reason === undefined ? {} : { reason };
    // Before anything is ended: a daemon that is killed meanwhile has recorded who asked for it.
    await audit('agent.release_requested', why);
    let left: LeftWorktree | undefined;
    try {
      await this.#end(agent, run);
      left = await workplaces.leave(run.worktree, { agent: agent.name, run: run.id });
    } catch (error) {
      await audit('agent.release_failed', { error: error instanceof Error ? error.message : String(error) });
      throw error;
    }
    await audit('agent.released', {
      ...why,
      ...(run.exit && { exit: run.exit }),
      ...(left && {
        worktree: left.path,
        kept: left.kept,
        commits: left.commits,
        ignored: left.ignored?.files,
      }),
    });
    if (!run.spawned || !agents.byId(agent.id)) return left;
    presence.end({ kind: 'agent', agentId: agent.id });
    await agents.remove(agent);
    presence.tell(agent.workspaceId, { type: 'agent.removed', agent: agent.name });
    return left;
  }

  async #end(agent: Agent, run: Run): Promise<void> {
    const { hosts, processes, starting, clock } = this.#parts;
    await starting.stop(run);
    const isAsked = run.endedAt === undefined && hosts.tell(run, { type: 'run.end', run: run.id });
    if (isAsked) {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const stop = clock.after(HOST_MS, resolve);
      await Promise.race([hosts.whenEnded(run), late]);
      stop();
    }
    // It has reported the end and is about to exit, or it does not answer.
    const { host, program } = run;
    const patienceMs = run.endedAt === undefined ? 0 : HOST_MS;
    if (run.spawned && host) await processes.end({ host, program }, patienceMs);
    if (!run.spawned && !(await this.#isOver(run))) throw stillRuns(agent, run, isAsked);
    await hosts.ended(run);
  }

  /** Whether a run that somebody else started is over: its processes are only what its host said, so they are not ended. */
  async #isOver(run: Run): Promise<boolean> {
    const { hosts, processes } = this.#parts;
    if (!hosts.isGone(run)) return false;
    const said = [run.host, run.program].filter((one) => one !== undefined);
    const areGone = await Promise.all(said.map((one) => processes.isGone(one, HOST_MS)));
    return run.endedAt !== undefined || areGone.every(Boolean);
  }
}

/** Only a host that the relay started is ended by force. */
function stillRuns({ name }: Agent, { cli, host }: Run, isAsked: boolean): RelayError {
  const what = host ? `${cli}, pid ${host.pid} as it says` : cli;
  const why = isAsked
    ? 'was asked to end its program, and has not'
    : 'is not connected, so it cannot be asked to end';
  return new RelayError('Timeout', `The host of ${name} (${what}) ${why}.`, {
    next: `The relay did not start it: end it where it runs, or try again. To remove the agent: agent-relay agent remove ${name}`,
  });
}
