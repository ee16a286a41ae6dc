import type { ConversationReader } from '../clis/conversation.ts';
import type { ScreenReader } from '../clis/reading.ts';
import type { ScreenView } from '../screen/view.ts';
import type { Command } from './command.ts';
import { CommandReader } from './command-reader.ts';
import { isSaid, Transcript } from './transcript.ts';
import { type SpokenLine, unwrap } from './unwrap.ts';

/** After this idle time the answer is complete. */
const IDLE_MS = 400;
/** Text that appears this long after a turn is not part of it: something was redrawn. */
const LATE_MS = 2000;
/** If the model pauses this long during a turn, its last line is complete. */
const STALLED_MS = 10_000;
/** The same with a tool shown below, which some CLIs draw before the last words. */
const TOOL_MS = 1000;

/** Finds the commands in an agent's answers by reading its screen repeatedly. */
export class AnswerWatch {
  readonly #screen: ScreenReader;
  readonly #conversation: ConversationReader;
  readonly #transcript = new Transcript();
  readonly #commands = new CommandReader();
  #isFirst = true;
  #busyAt = Number.NEGATIVE_INFINITY;
  #shown = '';
  #changedAt = 0;
  #idleSince: number | undefined;
  /** Start of the turn, unless the CLI was idle since. */
  #turnSince: number | undefined;
  #isDone = false;
  /** The screen shows a conversation, not only the composer. */
  #isShown = false;

  constructor(screen: ScreenReader, conversation: ConversationReader) {
    this.#screen = screen;
    this.#conversation = conversation;
  }

  /** Whether another look may find more on an unchanged screen. */
  get isSettled(): boolean {
    return !this.#isShown || (this.#isDone && !this.#transcript.isWaiting);
  }

  /** The commands that are complete now. A line counts once it was visible for a moment. */
  look(view: ScreenView, now: number): Command[] {
    const reading = this.#screen.read(view);
    const isBusy = reading.state === 'dialog' || (reading.state === 'composer' && reading.busy);
    if (isBusy) this.#busyAt = now;
    this.#turnSince = isBusy ? (this.#turnSince ?? now) : undefined;
    this.#idleSince = isBusy ? undefined : (this.#idleSince ?? now);
    const conversation = reading.state === 'composer' ? this.#conversation(view) : undefined;
    this.#isShown = conversation !== undefined;
    if (!conversation) return [];
    const lines = unwrap(conversation);
    if (this.#isFirst) {
      // A resumed session shows earlier messages.
      this.#transcript.know(lines.slice(0, lines.findLastIndex(({ speaker }) => speaker === 'person') + 1));
      this.#isFirst = false;
    }
    // Lines that came in time are waited for.
    const isLate = now - this.#busyAt > LATE_MS && !this.#transcript.isWaiting;
    // The turn was over before it was seen.
    if (isLate && this.#transcript.hasNewPrompt(lines)) this.#busyAt = now;
    else if (isLate) {
      this.#transcript.know(lines);
      this.#isDone = true;
      return this.#ended();
    }
    this.#isDone = this.#idleSince !== undefined && now - this.#idleSince >= IDLE_MS;
    const isComplete = this.#isDone || this.#isStalled(lines, now);
    const told = this.#transcript.take(lines, { now, isComplete, turnSince: this.#turnSince });
    const found = this.#commandsIn(told);
    return this.isSettled ? [...found, ...this.#ended()] : found;
  }

  #commandsIn(lines: readonly SpokenLine[]): Command[] {
    return lines
      .filter(({ speaker }) => speaker === 'agent')
      .flatMap(({ text, isApart }) => [
        isApart ? this.#commands.take('') : undefined,
        this.#commands.take(text),
      ])
      .filter((command) => command !== undefined);
  }

  #ended(): Command[] {
    const open = this.#commands.end();
    return open ? [open] : [];
  }

  /** Whether the last line is complete although the turn continues. */
  #isStalled(lines: readonly SpokenLine[], now: number): boolean {
    const shown = lines
      .filter(isSaid)
      .map(({ text }) => text)
      .join('\n');
    if (shown !== this.#shown) this.#changedAt = now;
    this.#shown = shown;
    const isToolBelow = lines.at(-1)?.speaker === 'other';
    return now - this.#changedAt >= (isToolBelow ? TOOL_MS : STALLED_MS);
  }
}
