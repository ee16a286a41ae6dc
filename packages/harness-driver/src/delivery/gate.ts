import type { Attention, ReasonInput } from '@agent-relay/protocol';
import type { Reading } from '../clis/reading.ts';

/** Whether a message may be delivered now; if not, what it waits for. */
export type Gate = 'open' | Closed;

export interface Closed {
  wait: ReasonInput;
  /** Still open for urgent messages. */
  isOpenToUrgent?: true;
  /** This path does not work at the moment: the next one may be used. */
  isDown?: true;
  /** Perhaps only a screen that is being drawn: nothing is reported yet. */
  isPassing?: true;
}

export const SUSPENDED = { code: 'unknown_screen', detail: 'suspended' } as const satisfies ReasonInput;

export const UNKNOWN = { wait: { code: 'unknown_screen' } } as const satisfies Closed;

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
      return { wait: SUSPENDED };
    case 'unknown':
      return UNKNOWN;
  }
}

/** During a turn, where the CLI takes messages then: as the agent wants it. */
export function gateInTurn(attention: Attention | undefined): Gate {
  if (attention === 'end-of-turn') return { wait: { code: 'attention' } };
  return attention === undefined ? { wait: { code: 'busy' }, isOpenToUrgent: true } : 'open';
}

/** Whether both are reported the same way. */
export const isSameGate = (one: Gate, other: Gate): boolean => shown(one) === shown(other);

const shown = (gate: Gate): string => (gate === 'open' ? gate : JSON.stringify(gate.wait));
