import type { ReasonInput } from '@agent-relay/protocol';
import type { ChannelIngress, WatchedAgent } from '../clis/adapter.ts';
import type { Reading } from '../clis/reading.ts';
import { type Gate, gateOf } from '../delivery/gate.ts';
import { Hold } from '../delivery/hold.ts';
import type { Outcome } from '../delivery/ingress.ts';
import type { HookReport } from './hook-report.ts';
import type { HookServer } from './hook-server.ts';
import { HookTurns, type ReadFailure } from './hook-turns.ts';

/** A turn that its hooks still tell of, on a screen that has been idle for so long, was interrupted. */
const INTERRUPTED_MS = 2000;
/** Hooks tell of a dialog before it is on the screen. */
const DIALOG_MS = 3000;
/** An idle CLI shows within this time that it has what its hook was given. */
const SEEN_MS = 10_000;
const TICK_MS = 500;

/**
 * The way through a hook of the CLI that waits in the background: what it writes when it ends wakes the model, or comes
 * with the next tool result of a turn. A draft in the composer and a dialog stay as they are.
 */
export class HookIngress implements ChannelIngress {
  readonly path = 'hook';
  readonly steadyMs = 0;
  onFound: (id: string) => void = () => undefined;
  readonly #hooks: HookServer;
  readonly #agent: WatchedAgent;
  readonly #hold: Hold;
  readonly #turns: HookTurns;
  /** What was given to a hook and has not been seen in a prompt yet. */
  readonly #unseen = new Set<string>();
  #inFlight: { id: string; settle: (isSeen: boolean) => void } | undefined;
  /** The turn that began with what was delivered last, until the model was seen in it. */
  #begun: { promptId: string | undefined; told: (isSeen: boolean) => void } | undefined;
  #promptId: string | undefined;
  #idleSince: number | undefined;
  #asksSince: number | undefined;
  #dialogSeen = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(hooks: HookServer, agent: WatchedAgent, readFailure: ReadFailure) {
    this.#hooks = hooks;
    this.#agent = agent;
    this.#hold = new Hold(() => agent.onChange());
    this.#turns = new HookTurns(readFailure, this.#hold);
    hooks.onReport = (report) => {
      if (report) this.#reported(report);
      agent.onChange();
    };
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#hold.close();
    this.#inFlight?.settle(false);
    this.#begun?.told(false);
  }

  /** Why no message should go in by any way. */
  hold(): ReasonInput | undefined {
    return this.#hold.reason;
  }

  gate(): Gate {
    if (!this.#hooks.waiter) return { wait: { code: 'no_hook' }, isDown: true };
    const reading = this.#agent.reading();
    if (reading.state === 'dialog') this.#dialogSeen = true;
    // The CLI would take the message and keep it for later: meanwhile nobody could say where it is.
    if (reading.state !== 'composer' && reading.state !== 'unknown') return gateOf(reading);
    if (this.#asks(reading)) return { wait: { code: 'approval_dialog' } };
    if (!this.#turns.isInTurn || this.#wasInterrupted(reading)) return 'open';
    const { attention } = this.#agent;
    if (attention === 'end-of-turn') return { wait: { code: 'attention' } };
    return attention === undefined ? { wait: { code: 'busy' }, isOpenToUrgent: true } : 'open';
  }

  async deliver({ id, text }: { id: string; text: string }): Promise<Outcome> {
    const { waiter } = this.#hooks;
    if (!waiter) return 'not begun';
    this.#unseen.add(id);
    const seen = this.#untilSeen(id);
    if ((await waiter.handOver(text)) === false) {
      this.#unseen.delete(id);
      this.#inFlight?.settle(false);
      return 'not begun';
    }
    return (await seen) ? 'injected' : 'uncertain';
  }

  async turnStarts(withinMs: number): Promise<boolean> {
    this.#begun?.told(false);
    const told = new Promise<boolean>((resolve) => {
      this.#begun = { promptId: this.#promptId, told: resolve };
    });
    return (await this.#agent.turnStarts(withinMs)) || (await told);
  }

  /** Resolves with whether it was; false once the CLI has been idle for long with nothing to show for it. */
  #untilSeen(id: string): Promise<boolean> {
    let idleMs = 0;
    return new Promise((resolve) => {
      const ticks = setInterval(() => {
        idleMs = this.#isOccupied() ? 0 : idleMs + TICK_MS;
        if (idleMs >= SEEN_MS) settle(false);
      }, TICK_MS);
      const settle = (isSeen: boolean) => {
        clearInterval(ticks);
        this.#inFlight = undefined;
        resolve(isSeen);
      };
      this.#inFlight = { id, settle };
    });
  }

  #isOccupied(): boolean {
    const reading = this.#agent.reading();
    const isIdle = reading.state === 'composer' && !reading.busy;
    return !isIdle && (this.#turns.isInTurn || reading.state !== 'unknown');
  }

  #reported(report: HookReport): void {
    this.#turns.note(report);
    if (report.session !== undefined) this.#agent.onSession(report.session);
    for (const id of report.messages) {
      if (!this.#unseen.delete(id)) continue;
      this.#promptId = report.promptId;
      if (this.#inFlight?.id === id) this.#inFlight.settle(true);
      else this.onFound(id);
    }
    const { event, isSubagent, promptId } = report;
    if (event === 'PermissionRequest') this.#dialogSeen = false;
    // Both come only after the model has answered.
    const isAnswer = (event === 'Stop' || event === 'PermissionRequest') && !isSubagent;
    if (isAnswer && this.#begun?.promptId === promptId) this.#begun?.told(true);
  }

  /** From the word of its hooks until its dialog was on the screen and has left it; some never come. */
  #asks({ state }: Reading): boolean {
    const now = performance.now();
    this.#asksSince = this.#turns.asks ? (this.#asksSince ?? now) : undefined;
    if (this.#asksSince === undefined || state === 'unknown') return this.#asksSince !== undefined;
    const left = this.#dialogSeen ? 0 : this.#asksSince + DIALOG_MS - now;
    if (left > 0) {
      this.#lookIn(left);
      return true;
    }
    this.#asksSince = undefined;
    this.#turns.answered();
    return false;
  }

  /** Hooks do not tell of it: the turn goes on by their word, and the screen is idle. */
  #wasInterrupted(reading: Reading): boolean {
    const now = performance.now();
    const isIdle = reading.state === 'composer' && !reading.busy;
    this.#idleSince = isIdle ? (this.#idleSince ?? now) : undefined;
    if (this.#idleSince === undefined) return false;
    const left = this.#idleSince + INTERRUPTED_MS - now;
    if (left > 0) {
      this.#lookIn(left);
      return false;
    }
    this.#idleSince = undefined;
    this.#turns.interrupted();
    return true;
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#agent.onChange(), ms);
  }
}
