import type { ConversationReader } from '../clis/conversation.ts';
import type { ScreenReader } from '../clis/reading.ts';
import type { Screen } from '../screen/screen.ts';
import { AnswerWatch } from './answer-watch.ts';
import { type Command, isCommand } from './command.ts';
import { CommandReader } from './command-reader.ts';

/** Interval of reading a changing screen. */
const LOOK_MS = 60;
/** Interval of reading an unchanged screen, until all of it counts. */
const SETTLE_MS = 200;
/** Maximum number of commands per agent and minute. */
const MOST_COMMANDS = 60;
const MINUTE_MS = 60_000;
/** How many messages typed into a program are remembered. */
const MOST_TYPED = 32;

/** Finds an agent's text on its screen; without it, every line of the normal screen counts. */
export interface AnswerReaders {
  screen: ScreenReader;
  conversation: ConversationReader;
}

/** Finds commands in an agent's terminal output and reports each once. */
export class Patterns {
  readonly #onCommand: (command: Command) => void;
  readonly #watch: AnswerWatch | undefined;
  readonly #lines = new CommandReader();
  /** When the last commands were found. */
  #times: number[] = [];
  #timer: NodeJS.Timeout | undefined;
  #typed: string[] = [];

  constructor(readers: AnswerReaders | undefined, onCommand: (command: Command) => void) {
    this.#watch = readers && new AnswerWatch(readers.screen, readers.conversation);
    this.#onCommand = onCommand;
  }

  /** Whether it reads lines instead of screens. */
  get takesLines(): boolean {
    return this.#watch === undefined;
  }

  /** The relay is typing this; the program may echo it. */
  typed(text: string): void {
    this.#typed = [...this.#typed, squeezed(text)].slice(-MOST_TYPED);
  }

  /** A line of a plain program is complete. */
  line(text: string): void {
    if (isCommand(text) && this.#typed.some((typed) => typed.includes(squeezed(text)))) return;
    const command = this.#lines.take(text);
    if (command) this.#found(command);
  }

  /** The screen has changed. */
  changed(screen: Screen): void {
    if (this.#watch && this.#timer === undefined) this.#lookIn(LOOK_MS, screen, this.#watch);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #lookIn(ms: number, screen: Screen, watch: AnswerWatch): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const view = screen.view();
      // It is read again when all output is on it.
      if (!view) return;
      for (const command of watch.look(view, performance.now())) this.#found(command);
      if (!watch.isSettled) this.#lookIn(SETTLE_MS, screen, watch);
    }, ms);
  }

  #found(command: Command): void {
    const now = performance.now();
    this.#times = this.#times.filter((time) => now - time < MINUTE_MS);
    if (this.#times.length > MOST_COMMANDS) return;
    this.#times.push(now);
    this.#onCommand(this.#times.length > MOST_COMMANDS ? TOO_MANY : command);
  }
}

/** Independent of how a program wraps it. */
const squeezed = (text: string): string => text.replace(/\s+/g, '');

const TOO_MANY: Command = {
  kind: 'mistake',
  line: 'your text',
  problem: `It has more than ${MOST_COMMANDS} commands in a minute; the rest are ignored until the minute is over.`,
  next: 'fewer commands, with longer messages',
};
