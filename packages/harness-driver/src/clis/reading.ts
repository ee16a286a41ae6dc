import type { ScreenView } from '../screen/view.ts';

/** Why the last turn failed or was ended, where the CLI says so on the screen. */
export type TurnFailure = 'usage_limit' | 'signed_out' | 'context_full' | 'interrupted';

/** What an adapter recognises on the screen of its CLI; anything uncertain is `unknown`. */
export type Reading =
  | { state: 'composer'; draft: string; busy: boolean; failure?: TurnFailure }
  /** Something asks the person: Enter would answer it. */
  | { state: 'dialog' }
  /** Not ready for its first turn; it may be asking the person something first. */
  | { state: 'starting'; question?: string }
  /** The person is choosing something. */
  | { state: 'menu' }
  /** Suspended: it gave the terminal back to the shell and waits for SIGCONT. */
  | { state: 'suspended' }
  | { state: 'unknown' };

export interface ScreenReader {
  read(view: ScreenView): Reading;
  /** Whether the draft is the pasted text, possibly as abbreviated by the CLI. */
  isPasted(draft: string, text: string): boolean;
}
