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
    const { host, program } = before;
    if (host) await processes.end({ host, program }, PROGRAM_MS);
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
    await starting.within(workspaceId, account, () => this.#start(principal, agent, before, { file, env }));
    const outcome = await readiness.wait(agent, waitMs);
    const run = runs.of(agent.id);
    if (endedEarly(run)) throw starting.failure(agent, run, 'Try again, or release it and spawn a new one.');
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

  /** Only a hash of its token is stored, so it gets a new one; the programs with the old one have ended. */
  async #start(
    principal: Principal,
    agent: Agent,
    before: Run,
    { file, env }: { file: string; env: Wish['env'] },
  ): Promise<void> {
    const { agents, hosts, readiness, newId, starting } = this.#parts;
    const id = newRunId(newId);
    const { cli } = before;
    const free = hosts.reserve(agent, { run: id, cli, pid: undefined, terminal: undefined });
    let token: string;
    let run: Run;
    try {
      token = await agents.rotateToken(agent);
      run = await this.#again(before, id);
    } finally {
      free();
    }
    readiness.expect(agent.id);
    try {
      const start = { token, file, env, resume: before.session };
      await starting.start(principal.workspace.name, agent, run, start);
    } catch (error) {
      await hosts.ended(run, { ended: 'it could not be started' });
      throw error;
    }
    await starting.started(principal, 'agent.resumed', agent, run);
  }

  /** The run as it begins again; from now on it is known as the agent's run. */
  async #again(before: Run, id: string): Promise<Run> {
    const { runs, clock } = this.#parts;
    const run: Run = { ...before, ...NOT_STARTED, id, startedAt: clock.now() };
    await runs.save(run);
    return run;
  }
}

const notResumable = (message: string, next: string): RelayError =>
  new RelayError('NotResumable', message, { next });
