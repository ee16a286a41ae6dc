import { newAgentToken, newRunId } from '@agent-relay/platform/secrets';
import {
  isRelayError,
  type NewId,
  nameKey,
  type OperationParams,
  type OperationResult,
  parseChannelName,
  plainAgentName,
  RelayError,
  worktreeLines,
} from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { Channels } from '../directory/channels.ts';
import type { Quotas } from '../governance/quotas.ts';
import type { Clock } from '../ports/clock.ts';
import type { ConfiguredCli } from '../ports/processes.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { Run } from '../ports/store/runs.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import type { Worktree } from '../ports/worktrees.ts';
import { isUsersOwn, type Principal, relayItself } from '../principal.ts';
import type { Messages } from '../sending/messages.ts';
import { type Cli, cliOf } from './clis.ts';
import type { Hosts } from './hosts.ts';
import { requireMaySpawn } from './permissions.ts';
import type { Readiness } from './readiness.ts';
import { NOT_STARTED, type Runs } from './runs.ts';
import { endedEarly, type Starting } from './starting.ts';
import type { Workplace, Workplaces } from './workplaces.ts';

interface Parts {
  runs: Runs;
  hosts: Hosts;
  readiness: Readiness;
  agents: Agents;
  channels: Channels;
  messages: Messages;
  workplaces: Workplaces;
  starting: Starting;
  quotas: Quotas;
  clock: Clock;
  newId: NewId;
  /** The user's own agent CLIs, by word. */
  clis: Readonly<Record<string, ConfiguredCli>>;
}

type Wish = Omit<OperationParams<'SPAWN'>, 'call'>;

/** The length of a task in `who`. */
const TASK_LENGTH = 200;

/** Starts agents. Their task is stored first, so that it cannot get lost. */
export class Spawning {
  readonly #parts: Parts;
  /** Requests that are not answered yet. */
  readonly #open = new Map<string, Promise<OperationResult<'SPAWN'>>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * The same request again, sent because its answer was lost with a connection or a daemon, starts nothing more. `onProgress` is
   * called with each step before the program starts, if it takes long.
   */
  async spawn(
    principal: Principal,
    requestId: string,
    wish: Wish,
    onProgress: (text: string) => void,
  ): Promise<OperationResult<'SPAWN'>> {
    const key = JSON.stringify([principal.workspace.id, principal.agent?.id, requestId, nameKey(wish.name)]);
    const open = this.#open.get(key);
    if (open) return await open;
    const known = this.#spawnedBy(principal, requestId, wish.name);
    const spawning = known
      ? this.#answer(principal, known, wish.waitMs)
      : this.#spawn(principal, requestId, wish, onProgress);
    this.#open.set(key, spawning);
    try {
      return await spawning;
    } finally {
      this.#open.delete(key);
    }
  }

  /** The agent that this request has spawned. */
  #spawnedBy({ workspace, agent: parent }: Principal, requestId: string, name: string): Agent | undefined {
    const agent = this.#parts.agents.find(workspace, plainAgentName(name));
    const run = agent && this.#parts.runs.of(agent.id);
    return run?.request === requestId && run.parentId === parent?.id ? agent : undefined;
  }

  async #answer(principal: Principal, agent: Agent, waitMs: number): Promise<OperationResult<'SPAWN'>> {
    const { readiness } = this.#parts;
    readiness.expect(agent.id);
    const outcome = await readiness.wait(agent, waitMs);
    await this.#checkAlive(principal, agent);
    return { name: agent.name, ...outcome };
  }

  async #spawn(
    principal: Principal,
    request: string,
    given: Wish,
    onProgress: (text: string) => void,
  ): Promise<OperationResult<'SPAWN'>> {
    // The environment of another machine is not used here.
    const wish = isUsersOwn(principal) ? given : { ...given, env: undefined };
    const { runs, workplaces, starting } = this.#parts;
    requireMaySpawn(principal);
    const { workspace } = principal;
    const cli = cliOf(wish.cli, this.#parts.clis);
    checkModel(cli, wish.model);
    this.#parts.quotas.checkRun({ cwd: wish.cwd ?? '', args: wish.args });
    this.#checkName(workspace, wish.name);
    this.#checkTask(wish);
    const spawner = await this.#spawner(principal);
    const account = runs.accountFor(principal.agent);
    const workplace = await workplaces.find(principal, cli, wish);
    const wanted = { ...wish, cli, account, request, ...workplace };
    const { agent, run, token } = await starting.within(workspace.id, account, () =>
      this.#register(principal, wanted),
    );
    this.#parts.readiness.expect(agent.id);
    await starting.begin(run, (signal) =>
      this.#start({ principal, spawner, wish: wanted, agent, run, token, onProgress, signal }),
    );
    return await this.#answer(principal, agent, wish.waitMs);
  }

  #checkName(workspace: Workspace, wanted: string): void {
    const taken = this.#parts.agents.find(workspace, plainAgentName(wanted));
    if (!taken) return;
    const isWorker = this.#parts.runs.of(taken.id)?.spawned === true;
    throw new RelayError('NameTaken', `The agent ${taken.name} already exists.`, {
      next: isWorker
        ? `Choose another name, or release it first: agent-relay release ${taken.name}`
        : 'Choose another name.',
    });
  }

  /** Before a worktree is made and set up for it. */
  #checkTask({ task, channels }: Wish): void {
    if (task !== undefined) this.#parts.messages.checkContent(task);
    for (const channel of channels) parseChannelName(channel);
  }

  /** Stores the agent, its run and the record of both at once: a daemon that is killed later leaves all of it or nothing. */
  async #register(principal: Principal, wish: Wanted): Promise<Registered> {
    const { agents, runs, clock, newId, starting } = this.#parts;
    const { workspace } = principal;
    const token = newAgentToken();
    const { cli, cwd, model, args } = wish;
    const introduction = {
      token,
      cli: cli.word,
      ...(wish.task === undefined ? {} : { task: firstLine(wish.task) }),
      ...(principal.agent && { parent: principal.agent.name }),
      heldBy: cli.word,
    };
    const begun: Omit<Run, 'agentId'> = {
      id: newRunId(newId),
      workspaceId: workspace.id,
      request: wish.request,
      spawned: true,
      parentId: principal.agent?.id,
      account: wish.account,
      cli: cli.word,
      model,
      args,
      choices: undefined,
      cwd,
      worktree: undefined,
      session: undefined,
      result: undefined,
      ...NOT_STARTED,
      startedAt: clock.now(),
    };
    const record = starting.record(principal, 'agent.spawned', plainAgentName(wish.name), begun);
    const agent = await agents.registerWorker(workspace, wish.name, introduction, { run: begun, record });
    const run: Run = { ...begun, agentId: agent.id };
    runs.noteStored(run);
    return { agent, run, token };
  }

  /** Makes its worktree, stores its task, starts its program: in this order. */
  async #start(begun: Begun): Promise<void> {
    const { readiness, starting } = this.#parts;
    const { principal, spawner, wish, agent, run, token, signal } = begun;
    const { file, env } = wish;
    try {
      if (wish.worktree) await this.#makeWorktree(begun);
      for (const channel of wish.channels) await this.#join(principal, agent, channel);
      const task = await this.#sendTask(spawner, agent, wish.task);
      if (task) readiness.expectTask(agent.id, task);
      const start = { token, file, env, resume: undefined };
      await starting.start(principal.workspace, agent, run, start, signal);
    } catch (error) {
      throw await this.#undone(principal, agent, run, signal.aborted ? starting.failure(agent, run) : error);
    }
  }

  async #makeWorktree({ principal, wish, agent: { name }, run, onProgress, signal }: Begun): Promise<void> {
    const { runs, workplaces } = this.#parts;
    const { cwd, env, setup } = wish;
    const planned = (worktree: Worktree) => runs.save(run, { worktree });
    try {
      const place = await workplaces.makeWorktree(principal.workspace, {
        ...{ name, cwd, env, setup, onProgress, planned, signal },
      });
      await runs.save(run, { cwd: place });
    } catch (error) {
      // The error says whether it was kept.
      run.worktree = undefined;
      throw error;
    }
  }

  /** The sender of the task: the agent that spawned the worker, else the user, else the relay. */
  async #spawner(principal: Principal): Promise<Principal> {
    if (principal.agent) return principal;
    const { agents } = this.#parts;
    const { workspace } = principal;
    const person = agents.list(workspace).find(({ type }) => type === 'human');
    return relayItself(workspace, person ?? (await agents.system(workspace)));
  }

  async #sendTask(spawner: Principal, agent: Agent, task: string | undefined) {
    if (task === undefined) return undefined;
    const { messages, newId } = this.#parts;
    const params = { to: agent.name, content: task, kind: 'directive', importance: 'normal' } as const;
    const { result } = await messages.send(spawner, newId('task'), params);
    if (result.held !== undefined) throw new RelayError('MessageHeld', `The task is held: ${result.held}.`);
    return { id: result.messageId, seq: result.seq };
  }

  async #join(principal: Principal, agent: Agent, name: string): Promise<void> {
    const { channels } = this.#parts;
    const found = channels.find(principal.workspace, name);
    await channels.join(found ?? (await channels.create(principal, name, undefined)), agent);
  }

  /** A program that ended before it was ready was not spawned. */
  async #checkAlive(principal: Principal, agent: Agent): Promise<void> {
    const run = this.#parts.runs.of(agent.id);
    if (!endedEarly(run)) return;
    const failure = this.#parts.starting.failure(agent, run);
    // Whoever releases it removes all of it.
    if (!run || this.#parts.hosts.isReleasing(run)) throw failure;
    throw await this.#undone(principal, agent, run, failure);
  }

  /** The program does not run, so nobody needs the agent and its worktree; the error says so if that could not be removed. */
  async #undone(principal: Principal, agent: Agent, run: Run, error: unknown): Promise<unknown> {
    const { starting, workplaces } = this.#parts;
    const left = await workplaces.leave(run.worktree, { agent: agent.name, run: run.id });
    const reason = error instanceof Error ? error.message : String(error);
    const why = { ended: 'it could not be started', reason, kept: left?.kept };
    await starting.withdraw(principal, agent, run, why);
    if (!left || !isRelayError(error)) return error;
    // What the set-up command made and git ignores is no news.
    const { ignored: _, ...kept } = left;
    const { code, message, next } = error;
    return new RelayError(code, [message, ...worktreeLines(kept)].join('\n'), { next, cause: error });
  }
}

/** What is to be started. */
type Wanted = Omit<Wish, 'cli' | 'cwd'> & { cli: Cli; account: string; request: string } & Workplace;

interface Registered {
  agent: Agent;
  run: Run;
  token: string;
}

interface Begun extends Registered {
  principal: Principal;
  spawner: Principal;
  wish: Wanted;
  onProgress: (text: string) => void;
  signal: AbortSignal;
}

function checkModel(cli: Cli, model: string | undefined): void {
  if (model === undefined || !cli.configured || cli.configured.model) return;
  throw new RelayError('InvalidRequest', `"${cli.word}" does not support a model option.`, {
    details: { field: 'model' },
    next: `Omit the model, or ask the user to add "model": ["--model", "{model}"] to clis.${cli.word} in settings.json.`,
  });
}

function firstLine(task: string): string {
  const [line = ''] = task.trim().split('\n');
  return line.length > TASK_LENGTH ? `${line.slice(0, TASK_LENGTH - 1)}…` : line;
}
