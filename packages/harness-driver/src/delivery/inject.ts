import type { Reading, ScreenReader } from '../clis/reading.ts';

/** What typing needs of an agent's terminal. */
export interface TypingTarget {
  /** The current screen. */
  reading(): Reading;
  /** The program takes a text of several lines as one (`?2004`). */
  readonly pastes: boolean;
  write(text: string): void;
  /** Resolves when the screen has changed, or after the time. */
  changed(withinMs: number): Promise<void>;
}

/** `turned`: the CLI started working right afterwards. */
export type Injection = 'submitted' | 'turned' | 'not typed' | 'unclear';

/** Time for a pasted text to show; a long one takes a while on a busy machine. */
const SHOWN_MS = 5000;
/** Pause between text and Enter: some CLIs lose an immediate Enter. */
const BEFORE_ENTER_MS = 150;
/** How long to wait after each Enter before the next one. A CLI that is starting may be slow. */
const TAKEN_MS = [400, 400, 400, 400, 800, 800, 800, 1500, 1500, 3000, 3000, 6000];

const PASTE = ['\x1b[200~', '\x1b[201~'] as const;

/**
 * Puts a text into the composer and submits it. In a program that takes no pastes each end of a line would submit, so it has
 * to be one line there. Checks the screen before every step: Enter is pressed only in the
 * composer with our text in it.
 */
export async function inject(text: string, target: TypingTarget, screen: ScreenReader): Promise<Injection> {
  if (!isEmptyComposer(target.reading())) return 'not typed';
  const holdsText = () => {
    const reading = target.reading();
    return reading.state === 'composer' && screen.isPasted(reading.draft, text);
  };
  target.write(target.pastes ? PASTE.join(text) : text);
  if (!(await happens(holdsText, SHOWN_MS, target))) return 'unclear';
  await pause(BEFORE_ENTER_MS);
  const isGone = () => isTaken(target.reading());
  let entered = false;
  for (const takenMs of TAKEN_MS) {
    // Unknown while drawing; a dialog that just opened must get no Enter.
    if (!(await happens(() => holdsText() || (entered && isGone()), SHOWN_MS, target))) return 'unclear';
    if (holdsText()) target.write('\r');
    entered = true;
    if (await happens(isGone, takenMs, target)) {
      const now = target.reading();
      return now.state === 'composer' && !now.busy ? 'submitted' : 'turned';
    }
  }
  return 'unclear';
}

const isEmptyComposer = (reading: Reading): boolean =>
  reading.state === 'composer' && reading.draft === '' && !reading.busy;

/** The composer is empty again, or the CLI asks the person something, which it does only during a turn. */
const isTaken = (reading: Reading): boolean =>
  reading.state === 'dialog' || (reading.state === 'composer' && reading.draft === '');

async function happens(condition: () => boolean, withinMs: number, target: TypingTarget): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (!condition()) {
    const left = deadline - performance.now();
    if (left <= 0) return false;
    await target.changed(left);
  }
  return true;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
