import type { NewId, Reason, RunInfo } from '@agent-relay/protocol';
import type { Claims } from '../delivery/claims.ts';
import type { Agents } from '../directory/agents.ts';
import type { Channels } from '../directory/channels.ts';
import type { Presence } from '../directory/presence.ts';
import type { Workspaces } from '../directory/workspaces.ts';
import type { Quotas } from '../governance/quotas.ts';
import type { SendRates } from '../governance/send-rates.ts';
import type { Clock } from '../ports/clock.ts';
import type { Directory } from '../ports/directory.ts';
import type { ConfiguredCli, Processes } from '../ports/processes.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { Run } from '../ports/store/runs.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import type { Store } from '../ports/store.ts';
import type { Worktrees } from '../ports/worktrees.ts';
import type { Messages } from '../sending/messages.ts';
import { knownClis } from './clis.ts';
import { exitText } from './exit-text.ts';
import { Hosts } from './hosts.ts';
import { Prompts } from './prompts.ts';
import { Readiness } from './readiness.ts';
import { Recovery } from './recovery.ts';
import { Releasing } from './releasing.ts';
import { Results } from './results.ts';
import { Resuming } from './resuming.ts';
import { Runs } from './runs.ts';
import { Spawning } from './spawning.ts';
import { Starting } from './starting.ts';
import { Viewing } from './viewing.ts';
import { Workplaces } from './workplaces.ts';

export interface TerminalOptions {
  processes: Processes;
  worktrees: Worktrees;
  /** The user's own agent CLIs, by word. */
  clis: Readonly<Record<string, ConfiguredCli>>;
  /** Whether agents may start others outside the project's directory. */
  anywhere: boolean;
  /** The set-up command of worktrees. */
  setup?: string | undefined;
  /** What happens to agents whose parent has ended. */
  orphans: 'keep' | 'release';
}

interface Parts {
  store: Store;
  clock: Clock;
  newId: NewId;
  directory: Directory;
  presence: Presence;
  agents: Agents;
  channels: Channels;
  workspaces: Workspaces;
  messages: Messages;
  claims: Claims;
  quotas: Quotas;
  rates: SendRates;
  background: (work: Promise<void>) => Promise<void>;
}

/** The assembled parts for agents in terminals. */
export class Terminals {
  readonly runs: Runs;
  readonly hosts: Hosts;
  readonly spawning: Spawning;
  readonly resuming: Resuming;
  readonly releasing: Releasing;
  readonly results: Results;
  readonly viewing: Viewing;
  readonly prompts: Prompts;
  /** Called when an agent waits until a person does something. */
  onWaiting: (agent: Agent, reason: Reason) => void = () => undefined;
  readonly #readiness: Readiness;
  readonly #recovery: Recovery;
  readonly #parts: Parts;
  readonly #options: TerminalOptions;

  constructor(parts: Parts, options: TerminalOptions) {
    const { store, clock, agents, presence, background, directory, claims, quotas } = parts;
    const { processes, clis, worktrees, anywhere, setup } = options;
    this.#parts = parts;
    this.#options = options;
    const runs = new Runs(store);
    const readiness = new Readiness(runs, clock, presence, background);
    const { goneAfterMs } = directory;
    const agentOf = (agentId: number) => agents.byId(agentId);
    const hosts = new Hosts({ runs, clock, presence, processes, quotas, agentOf, goneAfterMs, background });
    this.runs = runs;
    this.hosts = hosts;
    this.#readiness = readiness;
    const workplaces = new Workplaces({ processes, worktrees, anywhere, setup });
    const starting = new Starting({ ...parts, runs, hosts, processes, clis });
    this.spawning = new Spawning({ ...parts, runs, hosts, readiness, workplaces, starting, clis });
    this.resuming = new Resuming({ ...parts, runs, hosts, readiness, processes, starting, clis });
    this.releasing = new Releasing({ ...parts, runs, hosts, processes, workplaces, starting });
    this.#recovery = new Recovery({ ...parts, hosts, starting, workplaces });
    this.results = new Results({ ...parts, runs, hosts });
    this.viewing = new Viewing({ ...parts, runs, hosts, goneAfterMs });
    this.prompts = new Prompts({ ...parts, runs, hosts });
    hosts.onConnected = (run, held) => this.viewing.hostConnected(run, held);
    claims.onPath = (agent, state, reason) => readiness.pathChanged(agent, state, reason);
    claims.onSeen = (agentId, isSeen) => {
      const agent = agents.byId(agentId);
      if (agent) readiness.seen(agent, isSeen);
    };
    readiness.onWaiting = (agent, reason) => this.onWaiting(agent, reason);
    readiness.onLateReady = (agent, run) => this.#tellParent(run, `Worker "${agent.name}" is ready.`);
    hosts.isReleasing = (run) => this.releasing.isReleasing(run);
    hosts.onEnded = (run) => this.#ended(run);
  }

  /** The CLIs that can be named, and whether their programs are installed. */
  clis(): ReturnType<typeof knownClis> {
    return knownClis(this.#options.clis, this.#options.processes);
  }

  async load(workspace: Workspace): Promise<void> {
    for (const run of await this.runs.load(workspace)) {
      const hasTask = this.#parts.agents.byId(run.agentId)?.task !== undefined;
      if (run.spawned && run.readyAt === undefined && hasTask) this.#readiness.expectAgain(run.agentId);
      // That one cannot be put in order must not keep the daemon from starting.
      await this.#parts.background(this.#recovery.recover(workspace, run));
    }
  }

  /** The run of an agent. That its host has ended may not have been noticed before. */
  describe(agentId: number): RunInfo | undefined {
    const run = this.runs.of(agentId);
    if (run) this.hosts.notice(run);
    return this.runs.describe(agentId);
  }

  /** The daemon stops: waits for an agent or its result are answered now. */
  stopWaiting(): void {
    this.#readiness.stopWaiting();
    this.results.stopWaiting();
  }

  /** The agent was removed. */
  forget(agent: Agent): void {
    this.#readiness.ended(agent.id);
    this.runs.forget(agent.id);
    this.#releaseOrphansOf(agent.id);
  }

  #ended(run: Run): void {
    const { agents, background } = this.#parts;
    const isExpected = this.releasing.isReleasing(run) || this.#readiness.isAwaited(run.agentId);
    this.#readiness.ended(run.agentId);
    this.viewing.ended(run);
    this.prompts.ended(run);
    const agent = agents.byId(run.agentId);
    if (agent && run.spawned && !isExpected) {
      const how = run.exit ? exitText(run.exit) : `: ${run.ended}`;
      void background(this.#tellParent(run, `Worker "${agent.name}" ended${how}.`));
    }
    this.#releaseOrphansOf(run.agentId);
  }

  #releaseOrphansOf(agentId: number): void {
    if (this.#options.orphans !== 'release') return;
    for (const run of this.runs.all())
      if (run.parentId === agentId && run.endedAt === undefined)
        void this.#parts.background(this.releasing.releaseOrphan(run));
  }

  async #tellParent({ parentId, workspaceId }: Run, text: string): Promise<void> {
    const { agents, messages, workspaces } = this.#parts;
    const parent = parentId === undefined ? undefined : agents.byId(parentId);
    if (parent) await messages.sendNotice(workspaces.byId(workspaceId), parent, text);
  }
}
