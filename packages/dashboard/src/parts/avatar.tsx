import type { AgentState } from '../overview/agent-state.ts';

const HUES = 12;

/** A name has the same colour everywhere. */
export function hueOf(name: string): number {
  let hash = 0;
  for (const letter of name) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0;
  return hash % HUES;
}

/** Initials of a name: `BackendDev` is BD. */
function initialsOf(name: string): string {
  const words = name.replace(/^[#@]/, '').split(/[-_. ]+|(?<=[a-z0-9])(?=[A-Z])/);
  const [first = '', second] = words.filter((word) => word !== '');
  const letters = second === undefined ? [...first].slice(0, 2) : [[...first][0], [...second][0]];
  return letters.join('').toUpperCase();
}

export const Avatar = ({ name, status }: { name: string; status?: AgentState }) => (
  <span class={`avatar hue-${hueOf(name)}`} aria-hidden="true">
    {initialsOf(name)}
    {status && <span class={`avatar-state is-${status}`} />}
  </span>
);
