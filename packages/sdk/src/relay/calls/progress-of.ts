import type { DeliveryTrace } from '@agent-relay/protocol';

/** The delivery status in a sentence: `Bob read it 20 s ago.` It claims no more than was observed. */
export function progressOf({ recipient, state, reason, transitions }: DeliveryTrace, now: number): string {
  const at = transitions.findLast((transition) => transition.state === state)?.at;
  const ago = at === undefined ? '' : ` ${agoText(now - at)}`;
  switch (state) {
    case 'read':
      return `${recipient} read it${ago}.`;
    case 'acked':
      return `${recipient} acknowledged it${ago}.`;
    case 'injected':
    case 'turn_started':
      return `It was delivered into the conversation of ${recipient}${ago}.`;
    case 'uncertain':
      return `It may have reached ${recipient}; delivery is not confirmed yet.`;
    case 'accepted':
    case 'stored':
      return `${recipient} has not read it yet${reason === undefined ? '' : ` (${reason.text})`}.`;
  }
}

function agoText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return seconds < 120 ? `${seconds} s ago` : `${Math.round(seconds / 60)} min ago`;
}
