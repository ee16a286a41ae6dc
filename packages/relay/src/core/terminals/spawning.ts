import { newAgentToken } from '@agent-relay/platform/secrets';
import {
  type NewId,
  type OperationParams,
  type OperationResult,
  plainAgentName,
  RelayError,
} from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { Channels } from '../directory/channels.ts';
import type { Presence } from '../directory/presence.ts';
import type { Workspaces } from '../directory/workspaces.ts';
import type { Quotas } from '../governance/quotas.ts';
import type { Clock } from '../ports/clock.ts';
import type { ConfiguredCli, Processes } from '../ports/processes.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { Run } from '../ports/store/runs.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import { type Principal, relayItself } from '../principal.ts';
import type { Messages } from '../sending/messages.ts';
import { type Cli, cliOf } from './clis.ts';
import type { Hosts } from './hosts.ts';
import { isPerson, requireMaySpawn } from './permissions.ts';
import type { Readiness } from './readiness.ts';
import type { Runs } from './runs.ts';

interface Parts {
  runs: Runs;
  hosts: Hosts;
  readiness: Readiness;
  agents: Agents;
  channels: Channels;
  presence: Presence;
  workspaces: Workspaces;
  messages: Messages;
  quotas: Quotas;
  processes: Processes;
  clock: Clock;
  newId: NewId;
  /** The user's own agent CLIs, by word. */
  clis: Readonly<Record<string, ConfiguredCli>>;
  /** Whether agents may start others outside the project's directory. */
  anywhere: boolean;
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

  async spawn(principal: Principal, wish: Wish): Promise<OperationResult<'SPAWN'>> {
    const { quotas, runs, readiness } = this.#parts;
    requireMaySpawn(principal);
    const { workspace } = principal;
    const cli = cliOf(wish.cli, this.#parts.clis);
    this.#checkName(workspace, wish.name);
    const spawner = await this.#spawner(principal);
    const account = runs.accountFor(principal.agent);
    const counted = quotas.spawning(workspace.id, account, runs.countLive(workspace.id, account));
    let agent: Agent;
    try {
      const place = await this.#locate(principal, cli, wish);
      agent = await this.#start(principal, spawner, { ...wish, cli, account, ...place });
    } finally {
      counted();
    }
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

  async #locate(principal: Principal, cli: Cli, { cwd, env }: Wish) {
    const { root } = principal.workspace;
    const found = await this.#parts.processes.locate({ command: cli.command, cwd, root, env });
    if (found.isInside || this.#parts.anywhere || isPerson(principal)) return found;
    throw new RelayError('Forbidden', `${found.cwd} is not in the project's directory.`, {
      next: 'Omit cwd, or ask the user to allow it with "spawn": {"anywhere": true} in settings.json.',
    });
  }

  /** Registers the agent, stores its task, starts its program: in this order. */
  async #start(
    principal: Principal,
    spawner: Principal,
    wish: Omit<Wish, 'cli'> & { cli: Cli; account: string; file: string; cwd: string },
  ): Promise<Agent> {
    const { agents, runs, presence, clock, newId, processes, workspaces } = this.#parts;
    const { workspace } = principal;
    const token = newAgentToken();
    const { cli, file, cwd, env, model, args } = wish;
    if (model !== undefined && cli.configured && !cli.configured.model)
      throw new RelayError('InvalidRequest', `"${cli.word}" does not support a model option.`, {
        next: `Omit the model, or add "model": ["--model", "{model}"] to clis.${cli.word} in settings.json.`,
      });
    const { agent } = await agents.identify(workspace, wish.name, {
      token,
      cli: cli.word,
      ...(wish.task === undefined ? {} : { task: firstLine(wish.task) }),
      ...(principal.agent && { parent: principal.agent.name }),
      heldBy: cli.word,
    });
    const run: Run = {
      id: newId('run'),
      workspaceId: workspace.id,
      agentId: agent.id,
      spawned: true,
      parentId: principal.agent?.id,
      account: wish.account,
      cli: cli.word,
      model,
      args,
      cwd,
      version: undefined,
      session: undefined,
      host: undefined,
      program: undefined,
      startedAt: clock.now(),
      readyAt: undefined,
      endedAt: undefined,
      exit: undefined,
      ended: undefined,
      result: undefined,
    };
    try {
      await runs.save(run);
      for (const channel of wish.channels) await this.#join(principal, agent, channel);
      this.#parts.readiness.expect(agent.id, await this.#sendTask(spawner, agent, wish.task));
      const { word, configured } = cli;
      const who = { run: run.id, name: agent.name, token, project: workspace.name };
      const host = await processes.start({ ...who, cli: word, configured, file, args, model, cwd, env });
      await runs.save(run, { host });
    } catch (error) {
      await this.#undo(agent, run, 'it could not be started');
      throw error;
    }
    await workspaces.audit(principal, workspace, 'agent.spawned', agent.name, { cli: cli.word, cwd, args });
    presence.tell(workspace.id, { type: 'session.started', agent: agent.name });
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
    if (run && (run.endedAt === undefined || run.readyAt !== undefined)) return;
    const how = run?.exit ? exitText(run.exit) : `: ${run?.ended ?? 'it was released'}`;
    if (run) await this.#undo(agent, run, 'it ended right away');
    throw new RelayError('SpawnFailed', `"${agent.name}" (${agent.cli}) ended before it was ready${how}.`);
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

export const exitText = ({ code, signal }: { code: number; signal?: string }): string =>
  signal === undefined ? ` with exit code ${code}` : ` by ${signal}`;

function firstLine(task: string): string {
  const [line = ''] = task.trim().split('\n');
  return line.length > TASK_LENGTH ? `${line.slice(0, TASK_LENGTH - 1)}…` : line;
}
