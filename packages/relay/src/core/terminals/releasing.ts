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
import type { Workplaces } from './workplaces.ts';

interface Parts {
  runs: Runs;
  hosts: Hosts;
  agents: Agents;
  presence: Presence;
  workspaces: Workspaces;
  processes: Processes;
  workplaces: Workplaces;
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
    const { agents, presence, workspaces, workplaces } = this.#parts;
    await this.#end(run);
    const left = await workplaces.leave(run.worktree, { agent: agent.name, run: run.id });
    const detail = {
      ...(reason === undefined ? {} : { reason }),
      ...(run.exit && { exit: run.exit }),
      ...(left && {
        worktree: left.path,
        kept: left.kept,
        commits: left.commits,
        ignored: left.ignored?.files,
      }),
    };
    await workspaces.audit(principal, principal.workspace, 'agent.released', agent.name, detail);
    if (!run.spawned || !agents.byId(agent.id)) return left;
    presence.end({ kind: 'agent', agentId: agent.id });
    await agents.remove(agent);
    presence.tell(agent.workspaceId, { type: 'agent.removed', agent: agent.name });
    return left;
  }

  async #end(run: Run): Promise<void> {
    const { hosts, processes, clock } = this.#parts;
    if (run.endedAt === undefined && hosts.tell(run, { type: 'run.end', run: run.id })) {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const stop = clock.after(HOST_MS, resolve);
      await Promise.race([hosts.whenEnded(run), late]);
      stop();
    }
    // It has reported the end and is about to exit, or it does not answer.
    if (run.host)
      await processes.end({ host: run.host, program: run.program }, run.endedAt === undefined ? 0 : HOST_MS);
    else if (run.endedAt === undefined)
      throw new RelayError('NotRunning', 'Its host is not connected, and runs on another machine.', {
        retryable: true,
        next: 'Try again when it is online, or end the program there.',
      });
    await hosts.ended(run);
  }
}
