import type { ReasonInput } from '@agent-relay/protocol';
import type { Reading } from '../clis/reading.ts';

/** Whether a message may go in now; if not, what it waits for. */
export type Gate = 'open' | Closed;

export interface Closed {
  wait: ReasonInput;
  /** Open for urgent messages all the same. */
  isOpenToUrgent?: true;
  /** This path does not work at present: the next one may be used. */
  isDown?: true;
}

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

/** Whether others are told the same of both. */
export const isSameGate = (one: Gate, other: Gate): boolean => shown(one) === shown(other);

const shown = (gate: Gate): string => (gate === 'open' ? gate : JSON.stringify(gate.wait));
