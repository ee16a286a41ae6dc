import {
  isRelayError,
  type NewId,
  type OperationParams,
  type OperationResult,
  RelayError,
} from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { Presence } from '../directory/presence.ts';
import type { Workspaces } from '../directory/workspaces.ts';
import type { Quotas } from '../governance/quotas.ts';
import type { Clock } from '../ports/clock.ts';
import type { ConfiguredCli, Processes } from '../ports/processes.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { Run } from '../ports/store/runs.ts';
import type { Principal } from '../principal.ts';
import { cliOf } from './clis.ts';
import { exitText } from './exit-text.ts';
import type { Hosts } from './hosts.ts';
import { requireMayRelease, requireMaySpawn } from './permissions.ts';
import type { Readiness } from './readiness.ts';
import type { Runs } from './runs.ts';

interface Parts {
  runs: Runs;
  hosts: Hosts;
  readiness: Readiness;
  agents: Agents;
  presence: Presence;
  workspaces: Workspaces;
  quotas: Quotas;
  processes: Processes;
  clock: Clock;
  newId: NewId;
  clis: Readonly<Record<string, ConfiguredCli>>;
}

type Wish = OperationParams<'RESUME'>;

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
    const { hosts, readiness, runs, quotas } = this.#parts;
    if (!hosts.isGone(before))
      throw notResumable(
        `${agent.name} is still running.`,
        `Look at it with: agent-relay attach ${agent.name}`,
      );
    await hosts.ended(before, { ended: 'its host process was killed' });
    const { session, cli, args, cwd } = before;
    if (session === undefined)
      throw notResumable(
        `${agent.name} has no conversation to resume: none was seen before it ended.`,
        before.spawned
          ? `Release it and spawn it again: agent-relay release ${agent.name}`
          : `Start it again: agent-relay run --name ${agent.name} -- ${cli}`,
      );
    const file = await this.#locate(principal, agent, before, env);
    if (!before.spawned) return { name: agent.name, status: 'foreground', cli, args, cwd, session };
    const { workspaceId, account = runs.accountFor(undefined) } = before;
    const counted = quotas.spawning(workspaceId, account, runs.countLive(workspaceId, account));
    try {
      await this.#start(principal, agent, before, { file, env });
    } finally {
      counted();
    }
    const outcome = await readiness.wait(agent, waitMs);
    const run = runs.of(agent.id);
    if (run?.endedAt !== undefined && run.readyAt === undefined) {
      const how = run.exit ? exitText(run.exit) : `: ${run.ended}`;
      throw new RelayError('SpawnFailed', `"${agent.name}" (${cli}) ended before it was ready${how}.`, {
        next: 'Try again, or release it and spawn a new one.',
      });
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

  /** Only a hash of its token is stored, so it gets a new one; whoever had the old one ended with it. */
  async #start(
    principal: Principal,
    agent: Agent,
    before: Run,
    { file, env }: { file: string; env: Wish['env'] },
  ): Promise<void> {
    const { agents, runs, hosts, readiness, clock, newId, processes, clis, presence, workspaces } =
      this.#parts;
    const { workspace } = principal;
    const { cli, args, model, cwd, session } = before;
    const token = await agents.rotateToken(agent);
    const run: Run = {
      ...before,
      id: newId('run'),
      version: undefined,
      host: undefined,
      program: undefined,
      startedAt: clock.now(),
      readyAt: undefined,
      endedAt: undefined,
      exit: undefined,
      ended: undefined,
    };
    await runs.save(run);
    readiness.expect(agent.id, undefined);
    try {
      const { configured } = cliOf(cli, clis);
      const who = { run: run.id, name: agent.name, token, project: workspace.name };
      const program = { cli, configured, file, args, model, resume: session, cwd, env };
      await runs.save(run, { host: await processes.start({ ...who, ...program }) });
    } catch (error) {
      await hosts.ended(run, { ended: 'it could not be started' });
      throw error;
    }
    await workspaces.audit(principal, workspace, 'agent.resumed', agent.name, { cli, cwd, args });
    presence.tell(workspace.id, { type: 'session.started', agent: agent.name });
  }
}

const notResumable = (message: string, next: string): RelayError =>
  new RelayError('NotResumable', message, { next });
