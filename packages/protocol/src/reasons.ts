/**
 * Why a message is not delivered yet, or why a path cannot deliver now: a code for programs, a text for people.
 * `docs/delivery.md` documents each (a test compares the two).
 */
export const REASONS = {
  offline: 'offline',
  no_wake_path: 'nothing wakes this agent; it sees the message when it checks its inbox',
  not_taken: 'its program has not accepted it yet',
  not_read: 'accepted, not read yet',
  claimed: 'being delivered',
  refused: 'no path could deliver it; it is in the inbox',
  path_gone: 'the connection was lost before delivery was confirmed',
  unconfirmed: 'the path cannot confirm whether the message arrived',
  expired: 'expired',
  removed: 'the agent was removed',
  busy: 'the agent is working',
  starting: 'the agent is starting',
  approval_dialog: 'approval dialog open',
  draft: 'draft in the composer',
  attention: 'waits for the end of the turn',
  loop_governor: 'held by the loop governor',
  usage_limit: 'usage limit reached',
  signed_out: 'signed out',
  context_full: 'context full',
  interrupted: 'interrupted by the user',
  no_hook: 'its hook is not running',
  no_interface: 'its own interface is not open',
  hook_not_trusted: 'the hook is not trusted yet',
  unknown_screen: 'unknown screen',
  held_by_viewer: 'held by a viewer of the terminal',
  unproven: 'not tested with this version yet',
} as const satisfies Record<string, string>;

export type ReasonCode = keyof typeof REASONS;
export const REASON_CODES = Object.keys(REASONS) as [ReasonCode, ...ReasonCode[]];

export interface Reason {
  code: ReasonCode;
  text: string;
  /** When it is expected to pass, in milliseconds since 1970. */
  until?: number;
}

/** `detail` adds what the code cannot say: which question, which limit. */
export const reason = (
  code: ReasonCode,
  { detail, until }: { detail?: string; until?: number } = {},
): Reason => ({
  code,
  text: detail === undefined ? REASONS[code] : `${REASONS[code]}: ${detail}`,
  ...(until === undefined ? {} : { until }),
});
