import {
  type OperationParams,
  type OperationResult,
  type ProcessRef,
  RelayError,
  type RelayEvent,
  type RunExit,
} from '@agent-relay/protocol';
import type { Presence } from '../directory/presence.ts';
import type { Quotas } from '../governance/quotas.ts';
import type { Ongoing } from '../operations/caller.ts';
import type { Clock } from '../ports/clock.ts';
import type { Processes } from '../ports/processes.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { AuditRecord } from '../ports/store/audit.ts';
import type { Run } from '../ports/store/runs.ts';
import type { Principal } from '../principal.ts';
import { NOT_STARTED, type Runs } from './runs.ts';

interface Parts {
  runs: Runs;
  clock: Clock;
  presence: Presence;
  processes: Processes;
  quotas: Quotas;
  agentOf: (agentId: number) => Agent | undefined;
  /** How long a host may be disconnected before its process is checked. */
  goneAfterMs: number;
  background: (work: Promise<void>) => void;
}

interface Connected {
  run: string;
  ongoing: Ongoing;
  /** The process that the host says it is. */
  host: ProcessRef;
  /** The person's terminal it runs in. */
  terminal: string | undefined;
}

/** Where a run is, for the error when another one is started. */
interface RunLocation {
  run: string;
  cli: string;
  pid: number | undefined;
  terminal: string | undefined;
}

/** The processes that hold the terminals of agents: which are connected, and how their programs ended. */
export class Hosts {
  readonly #parts: Parts;
  readonly #connected = new Map<number, Connected>();
  /** Runs that are about to start. */
  readonly #starting = new Map<number, RunLocation>();
  /** What hosts advised to do about a program that they could not run. */
  readonly #advice = new WeakMap<Run, string>();
  readonly #ends = new Map<string, PromiseWithResolvers<void>>();
  /** Whether the end of a run was asked for. */
  isReleasing: (run: Run) => boolean = () => false;
  /** Called once for every program that ended. */
  onEnded: (run: Run) => void = () => undefined;
  /** Called for every host that connects, for the first time or again; `held`: a viewer held its messages before. */
  onConnected: (run: Run, held: boolean) => void = () => undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.processes.onHostEnded = (id, complaint) => {
      const run = parts.runs.byId(id);
      if (!run) return;
      if (complaint?.next !== undefined) this.#advice.set(run, complaint.next);
      parts.background(this.ended(run, { ended: complaint?.message ?? HOST_GONE }));
    };
  }

  /** A host has connected, for the first time or again. */
  async connected(
    { agent, local, unverified }: Principal & { agent: Agent },
    params: OperationParams<'HOST'>,
    ongoing: Ongoing,
  ): Promise<OperationResult<'HOST'>> {
    const { runs, presence, clock } = this.#parts;
    if (unverified)
      throw new RelayError('Forbidden', `Only a program with the token of ${agent.name} may be its host.`);
    const known = runs.of(agent.id);
    const isBack = known?.ended === CONNECTION_LOST;
    if (known?.id === params.run && known.endedAt !== undefined && !isBack)
      throw new RelayError('NotRunning', `The run ${params.run} of ${agent.name} has ended.`);
    const { run: id, cli, args, choices, cwd, version, host, program, terminal } = params;
    this.#parts.quotas.checkRun({ cwd, args });
    // Viewers and the store know a run by its id.
    const namesake = runs.byId(id);
    if (namesake && namesake.agentId !== agent.id)
      throw new RelayError('IdConflict', `The run ${id} belongs to another agent.`);
    const isNew = known?.id !== id;
    if (!isNew) this.#requireSameHost(agent, known, { host, local });
    if (program === undefined) return await this.#begin(agent, params, ongoing);
    this.#requireAlone(agent, id);
    if (ongoing.hasEnded) return {};
    const startedAt = Math.min(params.startedAt, clock.now());
    const run: Run = isNew
      ? {
          ...EMPTY,
          id,
          workspaceId: agent.workspaceId,
          agentId: agent.id,
          cli,
          args,
          choices,
          cwd,
          startedAt,
        }
      : known;
    this.#connected.set(agent.id, { run: id, ongoing, host, terminal });
    ongoing.onEnd = () => {
      if (this.#connected.get(agent.id)?.ongoing !== ongoing) return;
      this.#connected.delete(agent.id);
      this.lookFor(run);
    };
    const processes = local ? this.#processesOf(run, host, program) : undefined;
    await runs.save(run, { ...processes, version, endedAt: undefined, ended: undefined });
    this.onConnected(run, params.held ?? false);
    if (isNew || isBack) presence.tell(agent.workspaceId, { type: 'session.started', agent: agent.name });
    const { attention } = agent;
    return attention === undefined ? {} : { attention };
  }

  /**
   * A run has one host for as long as it lives. That of a spawned run is the process which the daemon started; any other is what
   * its first connection said.
   */
  #requireSameHost(agent: Agent, run: Run, { host, local }: { host: ProcessRef; local: boolean }): void {
    const connected = this.#connected.get(agent.id);
    const known = run.host ?? (connected?.run === run.id ? connected.host : undefined);
    const isSame = known?.pid === host.pid && known.mark === host.mark;
    if (run.spawned ? isSame && local : known === undefined || isSame) return;
    throw new RelayError('IdConflict', `The run ${run.id} of ${agent.name} has another process as its host.`);
  }

  /**
   * The processes of a run of this machine. That of a spawned run's program is kept once it was seen below its host. All others
   * are only what a client says: they are looked at, and never ended.
   */
  #processesOf(run: Run, host: ProcessRef, said: ProcessRef): Pick<Run, 'host' | 'program'> {
    const { processes } = this.#parts;
    const isKnown = run.program !== undefined && processes.isAlive(run.program);
    const program = !isKnown && processes.isBelow(said, host) ? said : run.program;
    return { host: run.spawned ? run.host : host, program };
  }

  /** Keeps the agent for a run that is about to start. Throws if it has another one; the returned function gives it up. */
  reserve(agent: Agent, location: RunLocation): () => void {
    this.#requireAlone(agent, location.run);
    this.#starting.set(agent.id, location);
    return () => {
      if (this.#starting.get(agent.id) === location) this.#starting.delete(agent.id);
    };
  }

  /** The host sends HOST again when its program runs. */
  async #begin(
    agent: Agent,
    { run, cli, host, terminal }: OperationParams<'HOST'>,
    ongoing: Ongoing,
  ): Promise<OperationResult<'HOST'>> {
    ongoing.onEnd = this.reserve(agent, { run, cli, pid: host.pid, terminal });
    const before = this.#parts.runs.live(agent.id);
    // Its end was not noticed yet.
    if (before && before.id !== run) await this.ended(before, { ended: HOST_GONE });
    return {};
  }

  /** An agent has one run at a time: messages, viewers and `release` are for that one. */
  #requireAlone(agent: Agent, run: string): void {
    const latest = this.#parts.runs.of(agent.id);
    const starting = this.#starting.get(agent.id);
    const isOther = latest && latest.id !== run && !(this.isGone(latest) && !this.#isLeftBehind(latest));
    const other = isOther ? this.#locationOf(latest) : undefined;
    const taken = other ?? (starting && starting.run !== run ? starting : undefined);
    if (!taken) return;
    const { cli, pid, terminal } = taken;
    const where = [cli, pid && `pid ${pid}`, terminal && `in ${terminal}`].filter(Boolean).join(', ');
    throw new RelayError('NameInUse', `${agent.name} is already running (${where}).`, {
      next: `Choose another name with --name, or look at it: agent-relay attach ${agent.name}`,
    });
  }

  /** Whether the program of a worker goes on without its host. */
  #isLeftBehind({ spawned, program }: Run): boolean {
    return spawned && program !== undefined && this.#parts.processes.isAlive(program);
  }

  #locationOf({ id, agentId, cli, host }: Run): RunLocation {
    const connected = this.#connected.get(agentId);
    const terminal = connected?.run === id ? connected.terminal : undefined;
    return { run: id, cli, pid: host?.pid, terminal };
  }

  /** The run that the host of an agent reports on. */
  requireRun(agent: Agent, id: string): Run {
    const run = this.#parts.runs.of(agent.id);
    if (run?.id !== id) throw new RelayError('NotRunning', `${agent.name} has no run ${id}.`);
    return run;
  }

  /** The same for what another connection than that of its host must not say; the host itself may not be back yet. */
  requireReporter(agent: Agent, id: string, hosting: Ongoing | undefined): Run {
    const run = this.requireRun(agent, id);
    const host = this.#connected.get(agent.id);
    if (host?.run !== id || host.ongoing === hosting) return run;
    throw new RelayError('Forbidden', `Another connection is the host of ${agent.name}'s run ${id}.`);
  }

  /** The same for what only the host itself may say: on the connection by which it holds the run. */
  requireHost(agent: Agent, id: string, host: Ongoing | undefined): { run: Run; host: Ongoing } {
    const run = this.requireRun(agent, id);
    if (host && run.endedAt === undefined && this.isHost(run, host)) return { run, host };
    throw new RelayError('Forbidden', `This connection is not the host of ${agent.name}'s run ${id}.`, {
      next: 'Send HOST for the run on this connection first.',
    });
  }

  isHost(run: Run, host: Ongoing): boolean {
    const connected = this.#connected.get(run.agentId);
    return connected?.run === run.id && connected.ongoing === host;
  }

  async reported(
    agent: Agent,
    { run: id, exit, session, stopped }: OperationParams<'RUN_REPORT'>,
    hosting: Ongoing | undefined,
  ): Promise<void> {
    const run = this.requireReporter(agent, id, hosting);
    if (session !== undefined && session !== run.session) await this.#parts.runs.save(run, { session });
    const why = stopped === undefined ? {} : { ended: `its host was stopped by ${stopped}` };
    if (exit) await this.ended(run, { exit: exitOf(exit), ...why });
  }

  /** Whether its host has certainly ended without a report. */
  isGone(run: Run): boolean {
    if (run.endedAt !== undefined) return true;
    const isConnected = this.#connected.get(run.agentId)?.run === run.id;
    return !isConnected && run.host !== undefined && !this.#parts.processes.isAlive(run.host);
  }

  /** What to do about a program that its host could not run, if the host knows. */
  adviceOn(run: Run): string | undefined {
    return this.#advice.get(run);
  }

  /** Tells the host of a run something; false if it is not connected. */
  tell(run: Run, event: RelayEvent): boolean {
    const host = this.#connected.get(run.agentId);
    if (host?.run !== run.id) return false;
    host.ongoing.tell(event);
    return true;
  }

  /** Whether a person has the program in a terminal of their own. */
  hasOwnTerminal(run: Run): boolean {
    const host = this.#connected.get(run.agentId);
    return host?.run === run.id && host.terminal !== undefined;
  }

  /** Whether the host is connected and keeps up. */
  hasRoom(run: Run): boolean {
    const host = this.#connected.get(run.agentId);
    return host?.run === run.id && host.ongoing.hasRoom;
  }

  /** Resolves when the program has ended. */
  whenEnded(run: Run): Promise<void> {
    if (run.endedAt !== undefined) return Promise.resolve();
    const end = this.#ends.get(run.id) ?? Promise.withResolvers<void>();
    this.#ends.set(run.id, end);
    return end.promise;
  }

  /** The program has ended; the first report stays. `record` is for the audit log. */
  async ended(run: Run, how: { exit?: RunExit; ended?: string } = {}, record?: AuditRecord): Promise<void> {
    if (run.endedAt !== undefined) return;
    const { runs, clock, presence } = this.#parts;
    const isReleased = this.isReleasing(run);
    // That its host is gone is then no news.
    const why = isReleased && !how.exit ? { ended: 'released' } : how;
    const saved = runs.save(run, { ...why, endedAt: clock.now() }, record);
    const agent = this.#parts.agentOf(run.agentId);
    if (agent) {
      const end = {
        ...(how.exit && { exit: how.exit }),
        ...(isReleased && { released: true as const }),
      };
      presence.tell(run.workspaceId, { type: 'session.exited', agent: agent.name, ...end });
    }
    this.onEnded(run);
    await saved;
    this.#ends.get(run.id)?.resolve();
    this.#ends.delete(run.id);
  }

  /** A disconnected host may reconnect, or may have been killed: then nothing else would report it. */
  lookFor(run: Run): void {
    this.notice(run);
    const { runs, clock, goneAfterMs } = this.#parts;
    clock.after(goneAfterMs, () => {
      if (run.endedAt !== undefined || runs.of(run.agentId) !== run || this.#connected.has(run.agentId))
        return;
      if (run.host) this.lookFor(run);
      else this.#giveUp(run);
    });
  }

  /** Records the end of a run whose host has ended without a report, if that has happened. */
  notice(run: Run): void {
    if (run.endedAt === undefined && this.isGone(run))
      this.#parts.background(this.ended(run, { ended: HOST_GONE }));
  }

  /** A run without a process on this machine: only its connection tells that it is there. */
  #giveUp(run: Run): void {
    const ended = run.spawned ? 'it never started' : CONNECTION_LOST;
    this.#parts.background(this.ended(run, { ended }));
  }
}

/** It was killed, or ended while no daemon was there. Any other host reports how its program ended. */
export const HOST_GONE = 'its host process ended without a report';

/** How a run on another machine ended, as far as is known here: it may reconnect. */
const CONNECTION_LOST = 'its connection was lost';

const EMPTY = {
  request: undefined,
  spawned: false,
  parentId: undefined,
  account: undefined,
  model: undefined,
  worktree: undefined,
  session: undefined,
  result: undefined,
  ...NOT_STARTED,
} as const;

const exitOf = ({ code, signal }: { code: number; signal?: string | undefined }): RunExit => ({
  code,
  ...(signal === undefined ? {} : { signal }),
});
