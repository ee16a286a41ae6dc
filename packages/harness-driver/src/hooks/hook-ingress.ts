import { setTimeout as delay } from 'node:timers/promises';
import type { PromptAnswer, ReasonInput } from '@agent-relay/protocol';
import type { ChannelIngress, OpenPrompt, PromptSource, WatchedAgent } from '../clis/adapter.ts';
import type { Reading } from '../clis/reading.ts';
import { type Gate, gateInTurn, gateOf } from '../delivery/gate.ts';
import { Hold } from '../delivery/hold.ts';
import type { Outcome } from '../delivery/ingress.ts';
import type { HookReport } from './hook-report.ts';
import type { HookServer } from './hook-server.ts';
import { HookTurns, type ReadFailure } from './hook-turns.ts';

/** If the hooks report a turn and the screen has been idle for this long, the turn was interrupted. */
const INTERRUPTED_MS = 2000;
/** Hooks report a dialog before it is on the screen. */
const DIALOG_MS = 3000;
/** A dialog that was answered in the terminal has left the screen within this time. */
const ANSWERED_MS = 300;
/** If somebody typed there, a busy CLI may take this long to show what the key did. */
const TYPED_MS = 3000;
/** An idle CLI shows a message of its hook within this time. */
const SEEN_MS = 10_000;
const TICK_MS = 500;

const DOWN = { wait: { code: 'no_hook' }, isDown: true } as const satisfies Gate;

/**
 * Delivers through a hook that waits in the background: its output wakes the model, or comes
 * with the next tool result of a turn. A draft in the composer or a dialog stays untouched.
 */
export class HookIngress implements ChannelIngress, PromptSource {
  readonly path = 'hook';
  readonly steadyMs = 0;
  onFound: (id: string) => void = () => undefined;
  readonly #hooks: HookServer;
  readonly #agent: WatchedAgent;
  readonly #hold: Hold;
  readonly #turns: HookTurns;
  /** Given to a hook, but not seen in a prompt yet. */
  readonly #unseen = new Set<string>();
  #inFlight: { id: string; settle: (isSeen: boolean) => void } | undefined;
  /** The turn that the last delivery started, until the model was seen working. */
  #begun: { promptId: string | undefined; told: (isSeen: boolean) => void } | undefined;
  #promptId: string | undefined;
  #idleSince: number | undefined;
  #asksSince: number | undefined;
  #dialogSeen = false;
  /** The permission prompt whose dialog was on the screen last. */
  #shownPrompt: OpenPrompt | undefined;
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
    this.#hooks.permission.release();
    this.#hold.close();
    this.#inFlight?.settle(false);
    this.#begun?.told(false);
  }

  /** Why no message should go in by any path. */
  hold(): ReasonInput | undefined {
    return this.#hold.reason;
  }

  /** Only while its dialog is on the screen. When it disappears, the person has answered, which hooks do not report. */
  prompt(): OpenPrompt | undefined {
    const { permission } = this.#hooks;
    const { state } = this.#agent.reading();
    if (state === 'dialog') this.#shownPrompt = permission.prompt;
    else if (this.#shownPrompt && state !== 'unknown') {
      if (permission.prompt === this.#shownPrompt) permission.release();
      this.#shownPrompt = undefined;
    }
    return state === 'dialog' ? permission.prompt : undefined;
  }

  /** The CLI does not report that an answer came too late, so a decision at the dialog gets time to show. */
  async answer(key: string, answer: PromptAnswer): Promise<boolean> {
    do await delay(ANSWERED_MS);
    while (this.prompt()?.key === key && this.#agent.typedWithin(TYPED_MS));
    return this.prompt()?.key === key && this.#hooks.permission.answer(key, answer);
  }

  gate(): Gate {
    const { waiter } = this.#hooks;
    // One that handed over a message in a turn is followed by the one that starts when the turn ends.
    if (!waiter && !this.#turns.isInTurn) return DOWN;
    const reading = this.#agent.reading();
    if (reading.state === 'dialog') this.#dialogSeen = true;
    // The CLI would queue the message, and its state would be unknown meanwhile.
    if (reading.state !== 'composer' && reading.state !== 'unknown') return gateOf(reading);
    if (this.#asks(reading)) return { wait: { code: 'approval_dialog' } };
    if (!this.#turns.isInTurn || this.#wasInterrupted(reading)) return waiter ? 'open' : DOWN;
    return waiter ? gateInTurn(this.#agent.attention) : { wait: { code: 'busy' } };
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

  async turnStarts(withinMs: number, isStill: () => boolean): Promise<boolean> {
    this.#begun?.told(false);
    const told = new Promise<boolean>((resolve) => {
      this.#begun = { promptId: this.#promptId, told: resolve };
    });
    const shown = this.#agent.turnStarts(withinMs, isStill);
    // Whichever is first; a turn that is over at once is never on the screen.
    return Promise.race([shown.then((is) => is || told), told.then((is) => is || shown)]);
  }

  /** Resolves with whether it was; false if the CLI stays idle and shows nothing. */
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
    // The screen may have been idle before this turn.
    this.#idleSince = undefined;
    if (report.session !== undefined) this.#agent.onSession(report.session);
    for (const id of report.messages) {
      if (!this.#unseen.delete(id)) continue;
      this.#promptId = report.promptId;
      if (this.#inFlight?.id === id) this.#inFlight.settle(true);
      else this.onFound(id);
    }
    const { event, isSubagent, promptId } = report;
    if (event === 'PermissionRequest') this.#dialogSeen = false;
    // Both are reported only after the model has answered.
    const isAnswer = (event === 'Stop' || event === 'PermissionRequest') && !isSubagent;
    if (isAnswer && this.#begun?.promptId === promptId) this.#begun?.told(true);
  }

  /** From the hooks' report until the dialog has come and gone on the screen; some never come. */
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

  /** Hooks do not report it: for them the turn goes on, while the screen is idle. */
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
