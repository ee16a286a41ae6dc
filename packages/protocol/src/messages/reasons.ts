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
  attention: 'the turn has to end first',
  loop_governor: 'held by the loop governor',
  usage_limit: 'usage limit reached',
  signed_out: 'signed out',
  context_full: 'context full',
  interrupted: 'interrupted by the user',
  no_hook: 'its hook is not running',
  no_interface: 'its own interface is not open',
  hook_not_trusted: 'its hooks have not run yet: its CLI may not trust them',
  between_turns: 'nothing wakes it between turns; delivered with the next prompt',
  unknown_screen: 'unknown screen',
  held_by_viewer: 'held by a viewer of the terminal',
  unproven: 'unproven',
} as const satisfies Record<string, string>;

export type ReasonCode = keyof typeof REASONS;
export const REASON_CODES = Object.keys(REASONS) as [ReasonCode, ...ReasonCode[]];

/** A path that waits for one of these does not work at present: the agent's next one is used. */
const DOWN: ReadonlySet<string> = new Set<ReasonCode>(['no_hook', 'no_interface', 'unproven']);

export const isPathDown = ({ state, reason: why }: { state: string; reason?: Reason }): boolean =>
  state !== 'ready' && why !== undefined && DOWN.has(why.code);

export interface Reason {
  code: ReasonCode;
  text: string;
  /** When it is expected to pass, in milliseconds since 1970. */
  until?: number;
}

/** What a started agent waits for; if it asks something first, only that. */
export function notReadyText({ code, text }: Reason): string {
  if (code === 'starting') return text.replace(`${REASONS.starting}: `, '');
  return code === 'unproven' ? `${text}. Nothing is typed into it; it finds its task in its inbox.` : text;
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
