import type { ScreenView } from '../screen/view.ts';

/** What an adapter recognises on the screen of its CLI. What it does not recognise for certain is `unknown`. */
export type Reading =
  | { state: 'composer'; draft: string; busy: boolean }
  /** Something asks the person: Enter would answer it. */
  | { state: 'dialog' }
  /** Not ready for its first turn; perhaps because it asks the person something first. */
  | { state: 'starting'; question?: string }
  /** The person is choosing something. */
  | { state: 'menu' }
  /** It has left the terminal to the shell it was started from, and waits to be brought back (SIGCONT). */
  | { state: 'suspended' }
  | { state: 'unknown' };

export interface ScreenReader {
  read(view: ScreenView): Reading;
  /** Whether the draft is the text that was pasted, perhaps as the CLI abbreviates it. */
  isPasted(draft: string, text: string): boolean;
}
