import type { ReasonInput } from '@agent-relay/protocol';
import type { Reading } from '../clis/adapter.ts';

/** Whether a message may be typed now; if not, what it waits for. */
export type Gate = 'open' | { wait: ReasonInput };

/** Opens for one screen only: the CLI's own composer, empty, between two turns. */
export function gateOf(reading: Reading): Gate {
  switch (reading.state) {
    case 'composer':
      if (reading.busy) return { wait: { code: 'busy' } };
      return reading.draft === '' ? 'open' : { wait: { code: 'draft' } };
    case 'dialog':
      return { wait: { code: 'approval_dialog' } };
    case 'starting':
      return { wait: { code: 'starting', ...(reading.question && { detail: reading.question }) } };
    case 'menu':
      return { wait: { code: 'unknown_screen', detail: 'a menu is open' } };
    case 'suspended':
      return { wait: { code: 'unknown_screen', detail: 'suspended' } };
    case 'unknown':
      return { wait: { code: 'unknown_screen' } };
  }
}

export const isSameGate = (one: Gate, other: Gate): boolean => JSON.stringify(one) === JSON.stringify(other);
