import type { Reading, ScreenReader } from '../clis/reading.ts';

/** The terminal of an agent, as far as typing needs it. */
export interface TypingTarget {
  /** What is on the screen now. */
  reading(): Reading;
  write(text: string): void;
  /** Resolves when the screen has changed, or after the time. */
  changed(withinMs: number): Promise<void>;
}

/** `turned`: the CLI was seen working right afterwards. */
export type Injection = 'submitted' | 'turned' | 'not typed' | 'unclear';

/** Until a pasted text is on the screen; a long one takes a busy machine a while. */
const SHOWN_MS = 5000;
/** Between the text and Enter: some CLIs lose an Enter that follows at once. */
const BEFORE_ENTER_MS = 150;
/** How long the text may stay after each Enter, before the next one. A CLI that is just starting may take its time. */
const TAKEN_MS = [400, 400, 400, 400, 800, 800, 800, 1500, 1500, 3000, 3000, 6000];

const PASTE = ['\x1b[200~', '\x1b[201~'] as const;

/**
 * Pastes a text into the composer and submits it. Looks at the screen before every step: whatever is there but the
 * composer with our text in it gets no Enter.
 */
export async function inject(text: string, target: TypingTarget, screen: ScreenReader): Promise<Injection> {
  if (!isEmptyComposer(target.reading())) return 'not typed';
  const holdsText = () => {
    const reading = target.reading();
    return reading.state === 'composer' && screen.isPasted(reading.draft, text);
  };
  target.write(PASTE.join(text));
  if (!(await happens(holdsText, SHOWN_MS, target))) return 'unclear';
  await pause(BEFORE_ENTER_MS);
  const isGone = () => isTaken(target.reading());
  let entered = false;
  for (const takenMs of TAKEN_MS) {
    // While something is being drawn, nobody knows; a dialog that opened now gets no Enter.
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

/** The composer is empty again; or the CLI has gone on to ask the person something, which it does only in a turn. */
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
