import type { ReasonCode } from '@agent-relay/protocol';

/** What a person can do about a delivery that waits, or what happens without them. */
export const ADVICE: Record<ReasonCode, string> = {
  offline: 'Start the agent again; the message is waiting for it.',
  no_wake_path: 'Tell the agent to check its inbox, or run it with agent-relay run.',
  not_taken: 'Nothing to do yet: its program gets it when it reads again. If it takes long, check the agent.',
  not_read: 'Nothing to do yet: its program has it. If it takes long, check the agent.',
  claimed: 'Nothing to do: it arrives in a moment.',
  refused: 'Tell the agent to check its inbox.',
  path_gone: 'Check its terminal; if the message did not arrive, send it again.',
  unconfirmed: 'Check its terminal; if the message did not arrive, send it again.',
  expired: 'Send it again if it still matters.',
  removed: 'It cannot be delivered. Send it to another agent.',
  busy: 'It is delivered when this turn ends.',
  starting: 'It is delivered once the agent has started.',
  approval_dialog: 'Answer the dialog in its terminal.',
  draft: 'Send or clear the draft in its terminal.',
  attention:
    'It is delivered when this turn ends. To have it earlier, send it as urgent, or change when the agent wants messages: agent-relay attention.',
  loop_governor: 'Deliver or discard it on the overview.',
  usage_limit: 'It is delivered when the limit is reset.',
  signed_out: 'Sign in again in its terminal.',
  context_full: 'Compact or clear its context.',
  interrupted: 'Tell it in its terminal how to continue; the message follows.',
  no_hook: 'Start the agent again with agent-relay run, which brings its hook.',
  no_interface: 'Another path is used meanwhile. If none works, start the agent again.',
  hook_not_trusted: 'Trust the hook in its terminal.',
  between_turns: 'Give it its next prompt, or run it with agent-relay run, which wakes it.',
  unknown_screen: 'Look at its terminal.',
  held_by_viewer: 'Someone holds its messages in its terminal. Deliver them there.',
  unproven: 'Nothing to do: another path is used until this one has worked once.',
};
