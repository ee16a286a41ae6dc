import { newRunId } from '@agent-relay/platform/secrets';
import {
  isRelayError,
  type NewId,
  type OperationParams,
  type OperationResult,
  RelayError,
} from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { Clock } from '../ports/clock.ts';
import type { ConfiguredCli, Processes } from '../ports/processes.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { Run } from '../ports/store/runs.ts';
import type { Principal } from '../principal.ts';
import { cliOf } from './clis.ts';
import { HOST_GONE, type Hosts } from './hosts.ts';
import { requireMayRelease, requireMaySpawn } from './permissions.ts';
import type { Readiness } from './readiness.ts';
import { NOT_STARTED, type Runs } from './runs.ts';
import { endedEarly, type Starting } from './starting.ts';

interface Parts {
  runs: Runs;
  hosts: Hosts;
  readiness: Readiness;
  agents: Agents;
  processes: Processes;
  starting: Starting;
  clock: Clock;
  newId: NewId;
  clis: Readonly<Record<string, ConfiguredCli>>;
}

type Wish = OperationParams<'RESUME'>;

/** How long a CLI whose host has ended may take to end by itself. */
const PROGRAM_MS = 5000;

/** Starts agents again that have ended, in their own conversations. */
export class Resuming {
  readonly #parts: Parts;
  readonly #open = new Set<number>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async resume(principal: Principal, wish: Wish): Promise<OperationResult<'RESUME'>> {
    requireMaySpawn(principal);
    const { agents, runs } = this.#parts;
    const agent = agents.get(principal.workspace, wish.agent);
    const run = runs.of(agent.id);
    if (!run)
      throw notResumable(
        `${agent.name} never ran in a terminal of the relay.`,
        'See which agents did: agent-relay who --all',
      );
    requireMayRelease(principal, agent, run);
    if (this.#open.has(agent.id))
      throw notResumable(`${agent.name} is being resumed already.`, 'Check it with: agent-relay who');
    this.#open.add(agent.id);
    try {
      return await this.#resume(principal, agent, run, wish);
    } finally {
      this.#open.delete(agent.id);
    }
  }

  async #resume(
    principal: Principal,
    agent: Agent,
    before: Run,
    { env, waitMs }: Wish,
  ): Promise<OperationResult<'RESUME'>> {
    const { hosts, processes, readiness, runs, starting } = this.#parts;
    if (!hosts.isGone(before))
      throw notResumable(
        `${agent.name} is still running.`,
        `Look at it with: agent-relay attach ${agent.name}`,
      );
    await hosts.ended(before, { ended: HOST_GONE });
    // The CLI may still be ending, and writing its conversation.
    const { spawned, host, program } = before;
    if (spawned && host) await processes.end({ host, program }, PROGRAM_MS);
    else if (!spawned && program && !(await processes.isGone(program, PROGRAM_MS)))
      throw notResumable(
        `The program of ${agent.name} still runs (pid ${program.pid}), although its terminal is gone.`,
        'End it, then try again.',
      );
    const { session, cli, args, choices, cwd } = before;
    if (session === undefined)
      throw notResumable(
        `${agent.name} has no conversation to resume: none was seen before it ended.`,
        before.spawned
          ? `Release it and spawn it again: agent-relay release ${agent.name}`
          : `Start it again: agent-relay run --name ${agent.name} -- ${cli}`,
      );
    const file = await this.#locate(principal, agent, before, env);
    if (!before.spawned) {
      const place = { cli, args, cwd, session, ...(choices && { choices }) };
      return { name: agent.name, status: 'foreground', ...place };
    }
    const { workspaceId, account = runs.accountFor(undefined) } = before;
    const begun = await starting.within(workspaceId, account, () => this.#again(principal, agent, before));
    await starting.begin(begun.run, (signal) => this.#start(principal, agent, begun, { file, env, signal }));
    const outcome = await readiness.wait(agent, waitMs);
    const run = runs.of(agent.id);
    if (endedEarly(run)) {
      const failure = starting.failure(agent, run, 'Try again, or release it and spawn a new one.');
      const why = { ended: 'it ended right away', reason: failure.message };
      if (run) await starting.failed(principal, 'agent.resume_failed', agent, run, why);
      throw failure;
    }
    return { name: agent.name, ...outcome };
  }

  async #locate(
    principal: Principal,
    agent: Agent,
    { cli, cwd, worktree }: Run,
    env: Wish['env'],
  ): Promise<string> {
    const { processes, clis } = this.#parts;
    const { command } = cliOf(cli, clis);
    try {
      const { root } = principal.workspace;
      return (await processes.locate({ command, cwd, root, env })).file;
    } catch (error) {
      if (!isRelayError(error, 'InvalidRequest')) throw error;
      const place = worktree ? `The worktree ${worktree.path}` : `The directory ${cwd}`;
      throw notResumable(
        `${place} of ${agent.name} does not exist any more.`,
        worktree
          ? `Bring it back: git worktree add ${worktree.path} ${worktree.branch}`
          : 'Bring it back, or release the agent and spawn a new one.',
      );
    }
  }

  /**
   * Stores the run as it begins again, with the record of it; from now on it is known as the agent's run. Only a hash of its
   * token is stored, so it gets a new one; the programs with the old one have ended.
   */
  async #again(principal: Principal, agent: Agent, before: Run): Promise<{ run: Run; token: string }> {
    const { agents, hosts, runs, clock, newId, starting } = this.#parts;
    const run: Run = { ...before, ...NOT_STARTED, id: newRunId(newId), startedAt: clock.now() };
    const free = hosts.reserve(agent, { run: run.id, cli: run.cli, pid: undefined, terminal: undefined });
    try {
      const token = await agents.rotateToken(agent);
      await runs.save(run, {}, starting.record(principal, 'agent.resumed', agent.name, run));
      return { run, token };
    } finally {
      free();
    }
  }

  async #start(
    principal: Principal,
    agent: Agent,
    { run, token }: { run: Run; token: string },
    { file, env, signal }: { file: string; env: Wish['env']; signal: AbortSignal },
  ): Promise<void> {
    const { readiness, starting } = this.#parts;
    readiness.expect(agent.id);
    try {
      const start = { token, file, env, resume: run.session };
      await starting.start(principal.workspace, agent, run, start, signal);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const why = { ended: 'it could not be started', reason };
      await starting.failed(principal, 'agent.resume_failed', agent, run, why);
      throw error;
    }
  }
}

const notResumable = (message: string, next: string): RelayError =>
  new RelayError('NotResumable', message, { next });
