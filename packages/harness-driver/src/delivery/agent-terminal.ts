import type { Reading, ScreenReader } from '../clis/reading.ts';
import type { Screen } from '../screen/screen.ts';
import type { SharedKeyboard } from '../terminal/shared-keyboard.ts';
import { type Gate, gateOf } from './gate.ts';
import type { Ingress, Outcome } from './ingress.ts';
import { type Injection, inject } from './inject.ts';

/** A key just pressed is not on the screen yet. */
const ECHO_MS = 500;
/** A screen is drawn in several steps. */
const STEADY_MS = 100;
/** After its first questions are answered, a CLI may show its composer for a moment and then start again. */
const AFTER_QUESTION_MS = 3000;

const OUTCOMES: Record<Injection, Outcome> = {
  submitted: 'injected',
  turned: 'turn_started',
  'not typed': 'not begun',
  unclear: 'uncertain',
};

/** An agent's terminal as delivery sees it: what its screen says, and the keyboard. */
export class AgentTerminal implements Ingress {
  readonly path = 'pty';
  readonly steadyMs = STEADY_MS;
  readonly #screen: Screen;
  readonly #reader: ScreenReader | undefined;
  readonly #keyboard: SharedKeyboard;
  readonly #onQuiet: () => void;
  /** Called with what is going to be typed. */
  onTyping: (text: string) => void = () => undefined;
  #watchers: Array<() => void> = [];
  #typedAt = Number.NEGATIVE_INFINITY;
  #askedAt = Number.NEGATIVE_INFINITY;
  #quiet: NodeJS.Timeout | undefined;

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
  }

  screenChanged(): void {
    for (const watcher of this.#watchers.splice(0)) watcher();
  }

  /** The person typed. */
  typed(): void {
    this.#typedAt = performance.now();
    this.#lookAgainIn(ECHO_MS);
  }

  close(): void {
    clearTimeout(this.#quiet);
    this.screenChanged();
  }

  gate(): Gate | undefined {
    if (this.#screen.isBehind) return undefined;
    const reading = this.reading();
    const gate = gateOf(reading);
    const now = performance.now();
    if (reading.state === 'starting' && reading.question !== undefined) this.#askedAt = now;
    if (gate !== 'open') return gate;
    const left = this.#askedAt + AFTER_QUESTION_MS - now;
    if (left > 0) {
      this.#lookAgainIn(left);
      return { wait: { code: 'starting' } };
    }
    return now - this.#typedAt < ECHO_MS ? { wait: { code: 'draft' } } : gate;
  }

  #lookAgainIn(ms: number): void {
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#onQuiet(), ms);
  }

  /** Types a message and submits it. Meanwhile nobody else types. */
  async deliver({ text }: { text: string }): Promise<Outcome> {
    const reader = this.#reader;
    if (reader === undefined) return 'not begun';
    this.onTyping(text);
    const injection = await this.#keyboard.alone((write) => {
      const target = { reading: () => this.reading(), write, changed: (ms: number) => this.#changed(ms) };
      return inject(text, target, reader);
    });
    return OUTCOMES[injection];
  }

  async turnStarts(withinMs: number): Promise<boolean> {
    const deadline = performance.now() + withinMs;
    while (!this.#isInTurn()) {
      const left = deadline - performance.now();
      if (left <= 0) return false;
      await this.#changed(left);
    }
    return true;
  }

  reading(): Reading {
    const view = this.#screen.view();
    return view && this.#reader ? this.#reader.read(view) : { state: 'unknown' };
  }

  #isInTurn(): boolean {
    const reading = this.reading();
    return reading.state === 'dialog' || (reading.state === 'composer' && reading.busy);
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
