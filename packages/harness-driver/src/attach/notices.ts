import type { TerminalState } from '@agent-relay/protocol';

/** What a viewer is told for a moment; each in forms for wide and narrow terminals. */
type Forms = readonly string[];

const forms = (...texts: string[]): Forms => texts.map((text) => ` ${text} `);

/** The person types here: how to get out. */
export const DRIVING = forms(
  'Ctrl-] d detaches · Ctrl-] h holds messages · Ctrl-] ? shows all keys',
  'Ctrl-] d detaches · Ctrl-] ? keys',
  'Ctrl-] d detaches',
);

export const KEYS = forms(
  'Ctrl-] and: d detach · h hold messages · t take the keyboard · Ctrl-] itself',
  'Ctrl-] and: d detach · h hold · t type',
  'd detach · h hold · t type',
);

export const HELD = forms(
  'Messages are held · Ctrl-] h releases them',
  'Messages held · Ctrl-] h releases',
  'held · Ctrl-] h releases',
);

export const RELEASED = forms('Messages are delivered again', 'Messages delivered again');

export const STILL_HELD = forms('Another viewer still holds the messages', 'held by another viewer');

/** The person only watches: who types, and how to take over. */
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
  const who = writer === 'terminal' ? 'Somebody types in its own terminal' : 'Somebody else took over';
  return forms(
    `${who}: you watch · Ctrl-] t takes the keyboard back`,
    `${who} · Ctrl-] t`,
    'You watch · Ctrl-] t takes over',
  );
}

const WRITERS = {
  terminal: ': its own terminal types',
  viewer: ': somebody else types',
  nobody: '',
} as const;
