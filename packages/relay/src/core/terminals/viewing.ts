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
import type { Caller, Ongoing } from '../operations/caller.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { Run } from '../ports/store/runs.ts';
import type { Principal } from '../principal.ts';
import type { Hosts } from './hosts.ts';
import { mayView, requireMayView } from './permissions.ts';
import type { Runs } from './runs.ts';

interface Viewer {
  id: string;
  caller: Caller;
  requestId: string;
  ongoing: Ongoing;
  run: Run;
  mode: ViewMode;
  holds: boolean;
  columns: number;
  rows: number;
  /** It has not got the screen since it came, or since it did not keep up: what is written is not for it. */
  isBehind: boolean;
}

interface Parts {
  runs: Runs;
  hosts: Hosts;
  agents: Agents;
  workspaces: Workspaces;
  newId: (word: string) => string;
}

/** Programs are drawn for terminals of at least this size. */
const LEAST = { columns: 80, rows: 24 };

/**
 * Who looks at which terminal. Output is passed on and not kept: a viewer that does not keep up gets nothing until it has
 * room again, and then what is on the screen by that time.
 */
export class Viewing {
  readonly #parts: Parts;
  readonly #viewers = new Map<string, Viewer>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async attach(
    caller: Caller,
    principal: Principal,
    { agent: name, mode, columns, rows, takeover }: Omit<OperationParams<'TERMINAL_ATTACH'>, 'call'>,
    requestId: string,
  ): Promise<OperationResult<'TERMINAL_ATTACH'>> {
    const { agents, runs, workspaces, newId } = this.#parts;
    const agent = agents.get(principal.workspace, name);
    requireMayView(principal, agent);
    const run = runs.live(agent.id);
    if (!run) throw notRunning(agent);
    if (mode === 'drive' && !takeover) this.#requireFree(run, agent);
    const action = takeover ? 'terminal.taken' : 'terminal.attached';
    await workspaces.audit(principal, principal.workspace, action, agent.name, { mode });
    // It may have ended, or somebody may have come, meanwhile.
    if (runs.live(agent.id) !== run) throw notRunning(agent);
    if (mode === 'drive' && !takeover) this.#requireFree(run, agent);
    const id = newId('view');
    const ongoing = caller.begin(requestId);
    const viewer: Viewer = {
      ...{ id, caller, requestId, ongoing, run, columns, rows },
      mode: 'watch',
      holds: false,
      isBehind: true,
    };
    if (ongoing.hasEnded) return { viewer: id, ...this.#stateOf(viewer) };
    this.#viewers.set(id, viewer);
    ongoing.onEnd = () => this.#left(viewer);
    ongoing.onRoom = () => {
      if (viewer.isBehind) this.#askForScreen(viewer);
    };
    this.#tellCount(run);
    if (mode === 'drive') this.#drive(viewer);
    this.#askForScreen(viewer);
    this.#tellOthers(viewer);
    return { viewer: id, ...this.#stateOf(viewer) };
  }

  input(caller: Caller, { viewer: id, data }: OperationParams<'TERMINAL_INPUT'>): void {
    const viewer = this.#of(caller, id);
    if (viewer.mode !== 'drive')
      throw new RelayError('Forbidden', 'This viewer only watches.', {
        next: 'Take the terminal over: attach with takeover.',
      });
    if (!this.#parts.hosts.hasRoom(viewer.run))
      throw new RelayError('Overloaded', 'The terminal does not take more keys now.');
    this.#command(viewer.run, { kind: 'input', data });
  }

  resize(caller: Caller, { viewer: id, columns, rows }: OperationParams<'TERMINAL_RESIZE'>): void {
    const viewer = this.#of(caller, id);
    Object.assign(viewer, { columns, rows });
    if (viewer.mode === 'drive') this.#tellSize(viewer);
  }

  hold(caller: Caller, { viewer: id, held }: OperationParams<'TERMINAL_HOLD'>): void {
    const viewer = this.#of(caller, id);
    viewer.holds = held;
    this.#tellHold(viewer.run);
    this.#tellAll(viewer.run);
  }

  /** The host has sent something for its viewers. */
  output(agent: Agent, { run: id, data, viewer: only, screen }: OperationParams<'TERMINAL_OUTPUT'>): void {
    const run = this.#parts.runs.live(agent.id);
    if (run?.id !== id) throw notRunning(agent);
    for (const viewer of this.#ofRun(run)) {
      if (only !== undefined && viewer.id !== only) continue;
      if (screen) viewer.isBehind = false;
      if (viewer.isBehind) continue;
      if (!screen && !viewer.ongoing.hasRoom) viewer.isBehind = true;
      else
        this.#tell(viewer, { type: 'terminal.output', viewer: viewer.id, data, ...(screen && { screen }) });
    }
  }

  /** A host has connected: one that was away knows nothing of its viewers. */
  hostConnected(run: Run): void {
    const viewers = this.#ofRun(run);
    if (viewers.length === 0) return;
    this.#tellCount(run);
    this.#tellHold(run);
    for (const viewer of viewers) {
      viewer.isBehind = true;
      this.#askForScreen(viewer);
      if (viewer.mode === 'drive') this.#tellSize(viewer);
    }
  }

  /** What agents are allowed has changed: whoever may not look any more sees nothing from now on. */
  endForbidden(): void {
    for (const viewer of this.#viewers.values()) {
      if (mayView(viewer.caller.principal)) continue;
      this.#tell(viewer, { type: 'terminal.ended', viewer: viewer.id });
      this.#left(viewer);
      viewer.caller.end(viewer.requestId);
    }
  }

  /** The program has ended. */
  ended(run: Run): void {
    for (const viewer of this.#ofRun(run)) {
      this.#viewers.delete(viewer.id);
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
    if (this.#ofRun(run).some(({ mode }) => mode === 'drive'))
      throw new RelayError('TerminalBusy', `Somebody else is typing in the terminal of ${agent.name}.`);
  }

  #drive(viewer: Viewer): void {
    for (const other of this.#ofRun(viewer.run)) other.mode = 'watch';
    viewer.mode = 'drive';
    this.#tellSize(viewer);
  }

  #left(viewer: Viewer): void {
    if (!this.#viewers.delete(viewer.id)) return;
    this.#tellCount(viewer.run);
    if (viewer.holds) this.#tellHold(viewer.run);
    this.#tellAll(viewer.run);
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
    return this.#ofRun(run).some(({ holds }) => holds);
  }

  #stateOf({ mode, run }: Viewer): TerminalState {
    return { mode, held: this.#isHeld(run), viewers: this.#ofRun(run).length };
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
