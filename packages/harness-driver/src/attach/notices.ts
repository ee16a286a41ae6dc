import type { TerminalState } from '@agent-relay/protocol';

/** Short notices for a viewer, each in forms for wide and narrow terminals. */
type Forms = readonly string[];

const forms = (...texts: string[]): Forms => texts.map((text) => ` ${text} `);

/** The person types here. */
export const DRIVING = forms(
  'Ctrl-] d detaches · Ctrl-] h holds messages · Ctrl-] ? shows all keys',
  'Ctrl-] d detaches · Ctrl-] ? keys',
  'Ctrl-] d detaches',
);

export const KEYS = forms(
  'Ctrl-] then: d detach · h hold messages · t take over · Ctrl-] send Ctrl-]',
  'Ctrl-] then: d detach · h hold · t take over',
  'd detach · h hold · t take over',
);

export const HELD = forms(
  'Messages are held · Ctrl-] h delivers them',
  'Messages held · Ctrl-] h delivers',
  'held · Ctrl-] h delivers',
);

export const RELEASED = forms('Messages are delivered again', 'Messages delivered again');

export const STILL_HELD = forms('Another viewer still holds the messages', 'held by another viewer');

/** The person only watches. */
export function watching(writer: TerminalState['writer']): Forms {
  const who = WRITERS[writer ?? 'nobody'];
  return forms(
    `Watching${who} · Ctrl-] t takes over · Ctrl-] d detaches`,
    `Watching${who} · Ctrl-] t takes over`,
    'Watching · Ctrl-] t takes over',
  );
}

/** The person has lost the keyboard. */
export function taken(writer: TerminalState['writer']): Forms {
  const who = writer === 'terminal' ? 'Someone types in its own terminal' : 'Someone else took over';
  return forms(
    `${who}; you are watching · Ctrl-] t takes over`,
    `${who} · Ctrl-] t`,
    'Watching · Ctrl-] t takes over',
  );
}

const WRITERS = {
  terminal: '; someone types in its own terminal',
  viewer: '; someone else types',
  nobody: '',
} as const;
