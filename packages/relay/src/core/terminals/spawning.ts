import { newAgentToken, newRunId } from '@agent-relay/platform/secrets';
import {
  isRelayError,
  type NewId,
  type OperationParams,
  type OperationResult,
  parseChannelName,
  plainAgentName,
  RelayError,
} from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { Channels } from '../directory/channels.ts';
import type { Presence } from '../directory/presence.ts';
import type { Quotas } from '../governance/quotas.ts';
import type { Clock } from '../ports/clock.ts';
import type { ConfiguredCli } from '../ports/processes.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { Run } from '../ports/store/runs.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import { isUsersOwn, type Principal, relayItself } from '../principal.ts';
import type { Messages } from '../sending/messages.ts';
import { type Cli, cliOf } from './clis.ts';
import type { Hosts } from './hosts.ts';
import { requireMaySpawn } from './permissions.ts';
import type { Readiness } from './readiness.ts';
import { NOT_STARTED, type Runs } from './runs.ts';
import { endedEarly, type Starting } from './starting.ts';
import { keptText, type Workplace, type Workplaces } from './workplaces.ts';

interface Parts {
  runs: Runs;
  hosts: Hosts;
  readiness: Readiness;
  agents: Agents;
  channels: Channels;
  presence: Presence;
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

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** `onProgress` is called with each step before the program starts, if it takes long. */
  async spawn(
    principal: Principal,
    given: Wish,
    onProgress: (text: string) => void,
  ): Promise<OperationResult<'SPAWN'>> {
    // The environment of another machine is not used here.
    const wish = isUsersOwn(principal) ? given : { ...given, env: undefined };
    const { runs, readiness, workplaces, starting } = this.#parts;
    requireMaySpawn(principal);
    const { workspace } = principal;
    const cli = cliOf(wish.cli, this.#parts.clis);
    checkModel(cli, wish.model);
    this.#parts.quotas.checkRun({ cwd: wish.cwd ?? '', args: wish.args });
    this.#checkName(workspace, wish.name);
    this.#checkTask(wish);
    const spawner = await this.#spawner(principal);
    const account = runs.accountFor(principal.agent);
    const agent = await starting.within(workspace.id, account, async () => {
      const workplace = await workplaces.find(principal, cli, wish, onProgress);
      const wanted = { ...wish, cli, account, ...workplace };
      return await this.#start(principal, spawner, wanted).catch((error) => this.#leave(workplace, error));
    });
    const outcome = await readiness.wait(agent, wish.waitMs);
    await this.#checkAlive(agent);
    return { name: agent.name, ...outcome };
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

  /** Registers the agent, stores its task, starts its program: in this order. */
  async #start(
    principal: Principal,
    spawner: Principal,
    wish: Omit<Wish, 'cli' | 'cwd' | 'worktree'> & { cli: Cli; account: string } & Workplace,
  ): Promise<Agent> {
    const { agents, runs, readiness, clock, newId, starting } = this.#parts;
    const { workspace } = principal;
    const token = newAgentToken();
    const { cli, file, cwd, worktree, env, model, args } = wish;
    const { agent } = await agents.identify(workspace, wish.name, {
      token,
      cli: cli.word,
      ...(wish.task === undefined ? {} : { task: firstLine(wish.task) }),
      ...(principal.agent && { parent: principal.agent.name }),
      heldBy: cli.word,
    });
    const run: Run = {
      id: newRunId(newId),
      workspaceId: workspace.id,
      agentId: agent.id,
      spawned: true,
      parentId: principal.agent?.id,
      account: wish.account,
      cli: cli.word,
      model,
      args,
      choices: undefined,
      cwd,
      worktree,
      session: undefined,
      result: undefined,
      ...NOT_STARTED,
      startedAt: clock.now(),
    };
    readiness.expect(agent.id);
    try {
      await runs.save(run);
      for (const channel of wish.channels) await this.#join(principal, agent, channel);
      const task = await this.#sendTask(spawner, agent, wish.task);
      if (task) readiness.expectTask(agent.id, task);
      await starting.start(workspace.name, agent, run, { token, file, env, resume: undefined });
    } catch (error) {
      await this.#undo(agent, run, 'it could not be started');
      throw error;
    }
    await starting.started(principal, 'agent.spawned', agent, run);
    return agent;
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
  async #checkAlive(agent: Agent): Promise<void> {
    const run = this.#parts.runs.of(agent.id);
    if (!endedEarly(run)) return;
    const failure = this.#parts.starting.failure(agent, run);
    // Whoever releases it removes all of it.
    if (!run || this.#parts.hosts.isReleasing(run)) throw failure;
    await this.#undo(agent, run, 'it ended right away');
    await this.#leave({ worktree: run.worktree }, failure);
  }

  /** The program does not run, so nobody needs its worktree; the error says so if it could not be removed. */
  async #leave(workplace: Pick<Workplace, 'worktree'>, error: unknown): Promise<never> {
    const kept = await this.#parts.workplaces.leave(workplace);
    if (kept === undefined || !workplace.worktree || !isRelayError(error)) throw error;
    const { code, message, next } = error;
    throw new RelayError(code, `${message}\n${keptText(workplace.worktree, kept)}`, { next, cause: error });
  }

  async #undo(agent: Agent, run: Run, ended: string): Promise<void> {
    const { agents, hosts, presence } = this.#parts;
    await hosts.ended(run, { ended });
    if (!agents.byId(agent.id)) return;
    presence.end({ kind: 'agent', agentId: agent.id });
    await agents.remove(agent);
    presence.tell(agent.workspaceId, { type: 'agent.removed', agent: agent.name });
  }
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
