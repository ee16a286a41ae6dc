import {
  type OperationParams,
  type OperationResult,
  RelayError,
  type RelayEvent,
  type TerminalCommand,
  type TerminalState,
  type ViewMode,
} from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { Workspaces } from '../directory/workspaces.ts';
import type { Quotas } from '../governance/quotas.ts';
import type { SendRates } from '../governance/send-rates.ts';
import type { Caller, Ongoing } from '../operations/caller.ts';
import type { Clock } from '../ports/clock.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { Run } from '../ports/store/runs.ts';
import type { Principal } from '../principal.ts';
import { AbsentHolders } from './absent-holders.ts';
import type { Hosts } from './hosts.ts';
import { mayView, requireMayView } from './permissions.ts';
import type { Runs } from './runs.ts';

interface Viewer {
  id: string;
  caller: Caller;
  /** The viewer: the connection, or the caller it acts for. */
  principal: Principal;
  requestId: string;
  ongoing: Ongoing;
  run: Run;
  mode: ViewMode;
  holds: boolean;
  columns: number;
  rows: number;
  /** Gives up its place among the viewers of its account. */
  uncount: () => void;
  /** It has no current screen, because it is new or fell behind: it gets no output. */
  isBehind: boolean;
}

interface Parts {
  runs: Runs;
  hosts: Hosts;
  agents: Agents;
  workspaces: Workspaces;
  quotas: Quotas;
  rates: SendRates;
  clock: Clock;
  newId: (word: string) => string;
  /** How long a viewer whose connection was lost may take to reconnect; its hold stays until then. */
  goneAfterMs: number;
}

type Wish = Omit<OperationParams<'TERMINAL_ATTACH'>, 'call'>;

/** Programs are drawn for terminals of at least this size. */
const LEAST = { columns: 80, rows: 24 };

/**
 * The viewers of terminals. Output is passed on, not kept: a viewer that falls behind gets nothing until it has room again, and
 * then the current screen. One viewer may type. If the agent runs in a person's own terminal, that person types unless a viewer
 * takes over; the next key there takes it back.
 */
export class Viewing {
  readonly #parts: Parts;
  readonly #viewers = new Map<string, Viewer>();
  readonly #absent: AbsentHolders;
  /** Runs whose host has connected since this daemon started. */
  readonly #known = new Set<string>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#absent = new AbsentHolders(parts.clock, parts.goneAfterMs, (run) => {
      this.#tellHold(run);
      this.#tellAll(run);
    });
  }

  async attach(
    caller: Caller,
    principal: Principal,
    params: Wish,
    requestId: string,
  ): Promise<OperationResult<'TERMINAL_ATTACH'>> {
    const { agents, runs, quotas, rates } = this.#parts;
    const agent = agents.get(principal.workspace, params.agent);
    requireMayView(principal, agent);
    const run = runs.live(agent.id);
    if (!run) throw notRunning(agent);
    if (params.mode === 'drive' && !params.takeover) this.#requireFree(run, agent);
    const uncount = quotas.viewing(principal);
    try {
      rates.countAudited(principal);
      return await this.#attach({ caller, principal, requestId, run, uncount }, agent, params);
    } catch (error) {
      uncount();
      throw error;
    }
  }

  async #attach(
    newcomer: Pick<Viewer, 'caller' | 'principal' | 'requestId' | 'run' | 'uncount'>,
    agent: Agent,
    { mode, columns, rows, takeover, hold }: Wish,
  ): Promise<OperationResult<'TERMINAL_ATTACH'>> {
    const { runs, workspaces, newId } = this.#parts;
    const { caller, principal, requestId, run, uncount } = newcomer;
    const action = takeover ? 'terminal.taken' : 'terminal.attached';
    await workspaces.audit(principal, principal.workspace, action, agent.name, { mode });
    // Meanwhile it may have ended, or another viewer attached.
    if (runs.live(agent.id) !== run) throw notRunning(agent);
    if (mode === 'drive' && !takeover) this.#requireFree(run, agent);
    const id = newId('view');
    const ongoing = caller.begin(requestId);
    const viewer: Viewer = {
      ...newcomer,
      ...{ id, ongoing, columns, rows },
      mode: 'watch',
      holds: hold,
      isBehind: true,
    };
    if (ongoing.hasEnded) {
      uncount();
      return { viewer: id, ...this.#stateOf(viewer) };
    }
    this.#viewers.set(id, viewer);
    ongoing.onEnd = (isLost) => this.#left(viewer, isLost);
    ongoing.onRoom = () => {
      if (viewer.isBehind) this.#askForScreen(viewer);
    };
    this.#tellCount(run);
    if (hold) this.#held(run);
    if (mode === 'drive') this.#drive(viewer);
    this.#askForScreen(viewer);
    this.#tellOthers(viewer);
    return { viewer: id, ...this.#stateOf(viewer) };
  }

  input(caller: Caller, { viewer: id, data }: OperationParams<'TERMINAL_INPUT'>): void {
    const viewer = this.#of(caller, id);
    if (viewer.mode !== 'drive')
      throw new RelayError('Forbidden', 'This viewer can only watch.', {
        next: 'Take the terminal over: attach with takeover.',
      });
    if (!this.#parts.hosts.hasRoom(viewer.run))
      throw new RelayError('Overloaded', 'The terminal cannot accept more keys now.');
    this.#command(viewer.run, { kind: 'input', viewer: id, data });
  }

  resize(caller: Caller, { viewer: id, columns, rows }: OperationParams<'TERMINAL_RESIZE'>): void {
    const viewer = this.#of(caller, id);
    Object.assign(viewer, { columns, rows });
    if (viewer.mode === 'drive') this.#tellSize(viewer);
  }

  hold(caller: Caller, { viewer: id, held }: OperationParams<'TERMINAL_HOLD'>): void {
    const viewer = this.#of(caller, id);
    viewer.holds = held;
    this.#held(viewer.run);
    this.#tellAll(viewer.run);
  }

  /** The host has sent something for its viewers. */
  output(run: Run, { data, viewer: only, screen }: OperationParams<'TERMINAL_OUTPUT'>): void {
    for (const viewer of this.#ofRun(run)) {
      if (only !== undefined && viewer.id !== only) continue;
      if (screen) viewer.isBehind = false;
      if (viewer.isBehind) continue;
      if (!screen && !viewer.ongoing.hasRoom) viewer.isBehind = true;
      else
        this.#tell(viewer, { type: 'terminal.output', viewer: viewer.id, data, ...(screen && { screen }) });
    }
  }

  /** The person at the agent's own terminal types again. */
  reclaimed(run: Run, id: string): void {
    const viewer = this.#viewers.get(id);
    // Someone else may have taken over in the meantime.
    if (viewer?.run.id !== run.id || viewer.mode !== 'drive') return;
    viewer.mode = 'watch';
    this.#tellAll(run);
  }

  /**
   * A host has connected. If it was away, it does not know its viewers, and the person at its terminal may have typed. A hold
   * unknown to this daemon is from a viewer of the previous one.
   */
  hostConnected(run: Run, held: boolean): void {
    if (held && !this.#known.has(run.id) && !this.#isHeld(run)) this.#absent.await(run);
    this.#known.add(run.id);
    if (held || this.#isHeld(run)) this.#tellHold(run);
    const viewers = this.#ofRun(run);
    if (viewers.length === 0) return;
    this.#tellCount(run);
    if (this.#parts.hosts.hasOwnTerminal(run)) for (const viewer of viewers) viewer.mode = 'watch';
    this.#tellAll(run);
    for (const viewer of viewers) {
      viewer.isBehind = true;
      this.#askForScreen(viewer);
      if (viewer.mode === 'drive') this.#tellSize(viewer);
    }
  }

  /** Permissions of agents changed: detaches viewers that are no longer allowed. */
  endForbidden(): void {
    for (const viewer of this.#viewers.values()) {
      if (mayView(viewer.principal)) continue;
      this.#tell(viewer, { type: 'terminal.ended', viewer: viewer.id });
      this.#left(viewer, false);
      viewer.caller.end(viewer.requestId);
    }
  }

  /** The program has ended. */
  ended(run: Run): void {
    this.#absent.stopAwaiting(run);
    this.#known.delete(run.id);
    for (const viewer of this.#ofRun(run)) {
      this.#viewers.delete(viewer.id);
      viewer.uncount();
      const exit = run.exit ? { exit: run.exit } : {};
      this.#tell(viewer, { type: 'terminal.ended', viewer: viewer.id, ...exit });
      viewer.caller.end(viewer.requestId);
    }
  }

  #ofRun({ id }: Run): Viewer[] {
    return [...this.#viewers.values()].filter(({ run }) => run.id === id);
  }

  /** Only on the connection it attached on. */
  #of(caller: Caller, id: string): Viewer {
    const viewer = this.#viewers.get(id);
    if (viewer?.caller === caller) return viewer;
    throw new RelayError('NotRunning', `There is no viewer ${id} on this connection.`, {
      next: 'Attach to the terminal again.',
    });
  }

  #requireFree(run: Run, agent: Agent): void {
    const writer = this.#writerOf(run);
    if (writer === undefined) return;
    const where = writer === 'viewer' ? `the terminal of ${agent.name}` : `${agent.name}'s own terminal`;
    throw new RelayError('TerminalBusy', `Someone else is typing in ${where}.`);
  }

  #writerOf(run: Run): TerminalState['writer'] {
    if (this.#ofRun(run).some(({ mode }) => mode === 'drive')) return 'viewer';
    return this.#parts.hosts.hasOwnTerminal(run) ? 'terminal' : undefined;
  }

  #drive(viewer: Viewer): void {
    for (const other of this.#ofRun(viewer.run)) other.mode = 'watch';
    viewer.mode = 'drive';
    this.#command(viewer.run, { kind: 'writer', viewer: viewer.id });
    this.#tellSize(viewer);
  }

  #left(viewer: Viewer, isLost: boolean): void {
    if (!this.#viewers.delete(viewer.id)) return;
    viewer.uncount();
    const { run, mode, holds } = viewer;
    if (holds && isLost) this.#absent.await(run);
    this.#tellCount(run);
    if (mode === 'drive') this.#command(run, { kind: 'writer' });
    if (holds) this.#tellHold(run);
    this.#tellAll(run);
  }

  /** A viewer chose whether to hold: stops waiting for viewers that may reconnect. */
  #held(run: Run): void {
    this.#absent.stopAwaiting(run);
    this.#tellHold(run);
  }

  #askForScreen({ id, run }: Viewer): void {
    this.#command(run, { kind: 'screen', viewer: id });
  }

  #tellCount(run: Run): void {
    this.#command(run, { kind: 'viewers', count: this.#ofRun(run).length });
  }

  #tellSize({ run, columns, rows }: Viewer): void {
    const size = { columns: Math.max(columns, LEAST.columns), rows: Math.max(rows, LEAST.rows) };
    this.#command(run, { kind: 'size', ...size });
  }

  #tellHold(run: Run): void {
    this.#command(run, { kind: 'hold', held: this.#isHeld(run) });
  }

  #isHeld(run: Run): boolean {
    return this.#absent.isAwaited(run) || this.#ofRun(run).some(({ holds }) => holds);
  }

  #stateOf({ mode, run }: Viewer): TerminalState {
    const writer = this.#writerOf(run);
    return {
      ...{ mode, held: this.#isHeld(run), viewers: this.#ofRun(run).length },
      ...(writer && { writer }),
    };
  }

  #tellAll(run: Run): void {
    for (const viewer of this.#ofRun(run))
      this.#tell(viewer, { type: 'terminal.changed', viewer: viewer.id, ...this.#stateOf(viewer) });
  }

  #tellOthers(newcomer: Viewer): void {
    for (const viewer of this.#ofRun(newcomer.run))
      if (viewer !== newcomer)
        this.#tell(viewer, { type: 'terminal.changed', viewer: viewer.id, ...this.#stateOf(viewer) });
  }

  #tell(viewer: Viewer, event: RelayEvent): void {
    viewer.ongoing.tell(event);
  }

  #command(run: Run, command: TerminalCommand): void {
    this.#parts.hosts.tell(run, { type: 'terminal.command', run: run.id, command });
  }
}

const notRunning = ({ name }: Agent): RelayError =>
  new RelayError('NotRunning', `${name} has no program in a terminal of the relay.`);
