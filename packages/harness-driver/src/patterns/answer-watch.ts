import type { ConversationReader } from '../clis/conversation.ts';
import type { ScreenReader } from '../clis/reading.ts';
import type { ScreenView } from '../screen/view.ts';
import type { Command } from './command.ts';
import { CommandReader } from './command-reader.ts';
import { isSaid, Transcript } from './transcript.ts';
import { type SpokenLine, unwrap } from './unwrap.ts';

/** A CLI that has been idle for so long has written all of its answer. */
const IDLE_MS = 400;
/** What appears so long after a turn was no longer seen is not of that turn: something is drawn again. */
const LATE_MS = 2000;
/** A model that writes nothing for so long, in the middle of a turn, is not in the middle of a line. */
const STALLED_MS = 10_000;
/** The same if a tool is shown below. Some CLIs draw it before the last words. */
const TOOL_MS = 1000;

/** Finds the commands in an agent's answers, from looks at the screen of its CLI. */
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
  /** When the turn began, if it was not seen idle since. */
  #turnSince: number | undefined;
  #isDone = false;
  /** There is a conversation on the screen, beside the composer. */
  #isShown = false;

  constructor(screen: ScreenReader, conversation: ConversationReader) {
    this.#screen = screen;
    this.#conversation = conversation;
  }

  /** Whether another look could find more, though the screen stays as it is. */
  get isSettled(): boolean {
    return !this.#isShown || (this.#isDone && !this.#transcript.isWaiting);
  }

  /** The commands that are complete now. Lines count that were seen for a moment. */
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
      // A session that is continued shows what was said before.
      this.#transcript.know(lines.slice(0, lines.findLastIndex(({ speaker }) => speaker === 'person') + 1));
      this.#isFirst = false;
    }
    const isLate = now - this.#busyAt > LATE_MS;
    // A turn that was over before anybody saw it.
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

  /** Whether the last line is complete, though the turn goes on. */
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
