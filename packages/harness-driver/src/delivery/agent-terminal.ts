import type { Reading, ScreenReader } from '../clis/reading.ts';
import type { Screen } from '../screen/screen.ts';
import type { SharedKeyboard } from '../terminal/shared-keyboard.ts';
import { type Gate, gateOf, UNKNOWN } from './gate.ts';
import { Hold } from './hold.ts';
import type { Ingress, Outcome } from './ingress.ts';
import { type Injection, inject } from './inject.ts';

/** Time until a pressed key shows on the screen. */
const ECHO_MS = 500;
/** Screens are drawn in several steps. */
const STEADY_MS = 100;
/** Until then a screen that is not recognised may be half of one: some CLIs redraw all of it for each frame. */
const REDRAW_MS = 500;
/** After its first questions, a CLI may show its composer briefly and then restart. */
const AFTER_QUESTION_MS = 3000;

/** For a program that takes no pastes. Nothing in it comes from others. */
const ANNOUNCEMENT = 'You have a Relay message. Check your inbox with relay_inbox or: agent-relay inbox';

/** A CLI that cannot call its model says so within this time. */
const CALLED_MS = 1000;

const OUTCOMES: Record<Injection, Outcome> = {
  submitted: 'injected',
  turned: 'injected',
  'not typed': 'not begun',
  unclear: 'uncertain',
};

/** An agent's terminal as seen by delivery: its screen and its keyboard. */
export class AgentTerminal implements Ingress {
  readonly path = 'pty';
  readonly steadyMs = STEADY_MS;
  readonly #screen: Screen;
  readonly #reader: ScreenReader | undefined;
  readonly #keyboard: SharedKeyboard;
  readonly #onQuiet: () => void;
  /** Called with the text that is about to be typed. */
  onTyping: (text: string) => void = () => undefined;
  #watchers: Array<() => void> = [];
  #typedAt = Number.NEGATIVE_INFINITY;
  #askedAt = Number.NEGATIVE_INFINITY;
  /** Since when the screen has not been recognised. */
  #unknownSince: number | undefined;
  #quiet: NodeJS.Timeout | undefined;
  #isClosed = false;
  #isTyping = false;
  /** When the CLI began to work on the message that was typed last, if that was at once. */
  #turnedAt: number | undefined;
  /** While turns fail, for a reason that the screen shows. */
  readonly #hold: Hold;
  /** The failure that is on the screen was counted. */
  #hasFailed = false;

  /** `onQuiet` is called when the person has stopped typing for a moment, or time alone may have opened the gate. */
  constructor(
    screen: Screen,
    reader: ScreenReader | undefined,
    keyboard: SharedKeyboard,
    onQuiet: () => void,
  ) {
    this.#screen = screen;
    this.#reader = reader;
    this.#keyboard = keyboard;
    this.#onQuiet = onQuiet;
    this.#hold = new Hold(onQuiet);
  }

  screenChanged(): void {
    for (const watcher of this.#watchers.splice(0)) watcher();
  }

  /** The person typed. */
  typed(): void {
    this.#typedAt = performance.now();
    this.#lookAgainIn(ECHO_MS);
  }

  typedWithin(ms: number): boolean {
    return performance.now() - this.#typedAt < ms;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#quiet);
    this.#hold.close();
    this.screenChanged();
  }

  gate(): Gate | undefined {
    // What the screen shows of a message that is being typed says nothing about the agent.
    if (this.#screen.isBehind || this.#isTyping) return undefined;
    const reading = this.reading();
    const gate = gateOf(reading);
    if (reading.state === 'starting' && reading.question !== undefined) this.#askedAt = performance.now();
    this.#noteFailure(reading);
    if (reading.state !== 'unknown') this.#unknownSince = undefined;
    else if (this.#mayBeRedrawn()) return { ...UNKNOWN, isPassing: true };
    if (gate !== 'open') return gate;
    if (this.#hold.reason) return { wait: this.#hold.reason };
    return (
      this.#waitsUntil(this.#askedAt + AFTER_QUESTION_MS, 'starting') ??
      this.#waitsUntil(this.#typedAt + ECHO_MS, 'draft') ??
      gate
    );
  }

  #mayBeRedrawn(): boolean {
    this.#unknownSince ??= performance.now();
    const left = this.#unknownSince + REDRAW_MS - performance.now();
    if (left > 0) this.#lookAgainIn(left);
    return left > 0;
  }

  /** A failure stays on the screen until a turn succeeds: it counts again only after another turn. */
  #noteFailure(reading: Reading): void {
    if (reading.state !== 'composer') return;
    const { busy, failure } = reading;
    if (busy || failure === undefined) {
      this.#hasFailed = false;
      if (!busy) this.#hold.succeeded();
    } else if (!this.#hasFailed) {
      this.#hasFailed = true;
      if (failure === 'interrupted') this.#hold.interrupted();
      else this.#hold.failed({ code: failure });
    }
  }

  /** Nothing else may happen by then, and timers fire early now and then: so each look arranges for the next one. */
  #waitsUntil(time: number, code: 'starting' | 'draft'): Gate | undefined {
    const left = time - performance.now();
    if (left <= 0) return undefined;
    this.#lookAgainIn(left);
    return { wait: { code } };
  }

  #lookAgainIn(ms: number): void {
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#onQuiet(), ms);
  }

  /** Types a message and submits it. Nobody else types meanwhile. */
  async deliver({ text }: { text: string }): Promise<Outcome> {
    const reader = this.#reader;
    if (reader === undefined) return 'not begun';
    const outcome = await this.#keyboard.alone(async (write) => {
      const pastes = this.#screen.view()?.bracketedPaste === true;
      const typed = pastes ? text : ANNOUNCEMENT;
      this.onTyping(typed);
      this.#isTyping = true;
      try {
        const changed = (ms: number) => this.#changed(ms);
        const injection = await inject(
          typed,
          { reading: () => this.reading(), pastes, write, changed },
          reader,
        );
        this.#turnedAt = injection === 'turned' ? performance.now() : undefined;
        return pastes || injection === 'not typed' ? OUTCOMES[injection] : 'announced';
      } finally {
        this.#isTyping = false;
      }
    });
    // Its turn may fail before it is seen.
    this.#hasFailed = false;
    return outcome;
  }

  /** A CLI also looks busy until it finds that it is signed out, so that alone is no proof of a call. */
  async turnStarts(withinMs: number, isStill: () => boolean): Promise<boolean> {
    let begunAt = this.#turnedAt;
    this.#turnedAt = undefined;
    let deadline = begunAt === undefined ? performance.now() + withinMs : begunAt + CALLED_MS;
    while (!this.#isClosed) {
      const reading = this.reading();
      // It asks the person only what the model wants.
      if (reading.state === 'dialog') return begunAt !== undefined || isStill();
      const isIdle = reading.state === 'composer' && !reading.busy;
      if (begunAt !== undefined && isIdle) return reading.failure !== 'signed_out';
      if (begunAt === undefined && reading.state === 'composer' && !isIdle) {
        if (!isStill()) return false;
        begunAt = performance.now();
        deadline = begunAt + CALLED_MS;
      }
      const left = deadline - performance.now();
      if (left <= 0) return begunAt !== undefined;
      await this.#changed(left);
    }
    return false;
  }

  reading(): Reading {
    const view = this.#screen.view();
    return view && this.#reader ? this.#reader.read(view) : { state: 'unknown' };
  }

  #changed(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(done, withinMs);
      this.#watchers.push(done);
    });
  }
}
