import { isPathDown, type Reason } from '@agent-relay/protocol';
import type { Presence } from '../directory/presence.ts';
import type { Clock } from '../ports/clock.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { Run } from '../ports/store/runs.ts';
import type { Runs } from './runs.ts';
import { SpawnWait } from './spawn-wait.ts';

/** Reasons that pass without a person. */
const PASSING: ReadonlySet<string> = new Set(['busy', 'draft', 'attention', 'claimed']);

type Outcome = { status: 'ready' } | { status: 'spawning'; reason?: Reason };

/** Derives from path reports whether an agent in a terminal is working, or waits for a person. */
export class Readiness {
  readonly #runs: Runs;
  readonly #clock: Clock;
  readonly #presence: Presence;
  readonly #background: (work: Promise<void>) => void;
  /**
   * The task messages of agents that have not been observed working on them. Which message it was is not known after a
   * restart; the task is an agent's first message, so any that was seen is the task or came after it.
   */
  readonly #tasks = new Map<number, { id: string; seq: number } | 'first'>();
  readonly #lastReason = new Map<number, Reason>();
  /** Agents whose SPAWN has not been answered yet. */
  readonly #awaited = new Set<number>();
  readonly #waits = new Map<number, SpawnWait>();
  #isStopping = false;
  /** Called when an agent becomes ready after its SPAWN was answered. */
  onLateReady: (agent: Agent, run: Run) => Promise<void> = () => Promise.resolve();

  /** Called when an agent waits until a person does something. */
  onWaiting: (agent: Agent, reason: Reason) => void = () => undefined;

  constructor(runs: Runs, clock: Clock, presence: Presence, background: (work: Promise<void>) => void) {
    this.#runs = runs;
    this.#clock = clock;
    this.#presence = presence;
    this.#background = background;
  }

  /** An agent is about to be started. */
  expect(agentId: number): void {
    this.#awaited.add(agentId);
  }

  /** It is ready only when it was observed working on this. */
  expectTask(agentId: number, task: { id: string; seq: number }): void {
    this.#tasks.set(agentId, task);
  }

  /** After a restart: the agent was spawned with a task and not observed working on it. */
  expectAgain(agentId: number): void {
    if (!this.#tasks.has(agentId)) this.#tasks.set(agentId, 'first');
  }

  /** Whether its SPAWN has not been answered yet. */
  isAwaited(agentId: number): boolean {
    return this.#awaited.has(agentId);
  }

  /** The daemon stops: ends every wait. */
  stopWaiting(): void {
    this.#isStopping = true;
    for (const wait of this.#waits.values()) wait.end();
  }

  /** Resolves when the agent is ready, waits for a person or has ended, else after the time. */
  async wait(agent: Agent, waitMs: number): Promise<Outcome> {
    const run = this.#runs.of(agent.id);
    if (run && run.readyAt === undefined && run.endedAt === undefined && waitMs > 0 && !this.#isStopping) {
      const wait = new SpawnWait(this.#clock, waitMs);
      this.#waits.set(agent.id, wait);
      wait.noteReason(this.#lastReason.get(agent.id));
      await wait.over;
      this.#waits.delete(agent.id);
    }
    this.#awaited.delete(agent.id);
    if (run?.readyAt !== undefined) return { status: 'ready' };
    const reason = this.#lastReason.get(agent.id);
    return { status: 'spawning', ...(reason && { reason }) };
  }

  /** A path reported its state. */
  pathChanged(agent: Agent, state: 'ready' | 'waits', reason: Reason | undefined): void {
    const run = this.#runs.live(agent.id);
    if (!run) return;
    const isWorking = state === 'ready' || reason?.code === 'busy';
    if (isWorking) this.#lastReason.delete(agent.id);
    else if (reason) this.#noteReason(agent.id, reason);
    this.#waits.get(agent.id)?.noteReason(this.#lastReason.get(agent.id));
    this.#noteWaiting(agent, isWorking || !reason || PASSING.has(reason.code) ? undefined : reason);
    if (isWorking && !this.#tasks.has(agent.id)) this.#ready(agent, run);
  }

  /** A turn was started with these messages, or the agent has read them. */
  seen(agent: Agent, isSeen: (message: { id: string; seq: number }) => boolean): void {
    const run = this.#runs.live(agent.id);
    const task = this.#tasks.get(agent.id);
    if (run && task && (task === 'first' || isSeen(task))) this.#ready(agent, run);
  }

  /** The program has ended. */
  ended(agentId: number): void {
    this.#tasks.delete(agentId);
    this.#lastReason.delete(agentId);
    this.#awaited.delete(agentId);
    this.#runs.setWaiting(agentId, undefined);
    this.#waits.get(agentId)?.end();
  }

  /** A path that does not work says nothing about what the agent asks on another one. */
  #noteReason(agentId: number, reason: Reason): void {
    const isDown = (why: Reason) => isPathDown({ state: 'waits', reason: why });
    const known = this.#lastReason.get(agentId);
    if (!isDown(reason) || !known || isDown(known)) this.#lastReason.set(agentId, reason);
  }

  #noteWaiting(agent: Agent, reason: Reason | undefined): void {
    const wasWaiting = this.#runs.waitingFor(agent.id) !== undefined;
    if (!this.#runs.setWaiting(agent.id, reason)) return;
    if (reason) {
      this.#tell(agent, { type: 'session.waiting', reason });
      this.onWaiting(agent, reason);
    }
    if (!reason && wasWaiting) this.#tell(agent, { type: 'session.resumed' });
  }

  #ready(agent: Agent, run: Run): void {
    this.#tasks.delete(agent.id);
    if (run.readyAt !== undefined) return;
    this.#tell(agent, { type: 'session.ready' });
    const isLate = run.spawned && !this.#awaited.has(agent.id);
    this.#background(this.#runs.save(run, { readyAt: this.#clock.now() }));
    this.#waits.get(agent.id)?.end();
    if (isLate) this.#background(this.onLateReady(agent, run));
  }

  #tell(
    agent: Agent,
    event: { type: 'session.ready' | 'session.waiting' | 'session.resumed'; reason?: Reason },
  ): void {
    this.#presence.tell(agent.workspaceId, { ...event, agent: agent.name });
  }
}
