import { RelayError } from '../errors.ts';

export const MAX_NAME_LENGTH = 64;

/** The sender name of the relay itself. */
export const SYSTEM_AGENT = 'relay';

/** The channel that always exists and includes everyone. */
export const GENERAL_CHANNEL = 'general';

/** Words of the address grammar and of the relay itself, which no agent may use as a name. */
const RESERVED = new Set(['lead', 'spawn', 'release', 'discover', 'system', SYSTEM_AGENT, 'human', 'all']);

/** What every name (agent, channel, project) looks like. ASCII only: no second letter can look like the first. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

export const isName = (text: string): boolean => text.length <= MAX_NAME_LENGTH && NAME.test(text);

/** Checks the grammar of a name. `what` says in the error whose name it is. */
export function checkName(name: string, what: 'agent' | 'channel' | 'project' = 'agent'): string {
  if (name.length === 0) throw new RelayError('InvalidName', `The ${what} name is empty.`);
  if (name.length > MAX_NAME_LENGTH) {
    throw new RelayError(
      'InvalidName',
      `The ${what} name has ${name.length} characters; the limit is ${MAX_NAME_LENGTH}.`,
    );
  }
  if (NAME.test(name)) return name;
  const foreign = [...name].find((letter) => letter > '\x7f');
  if (foreign !== undefined && /[\p{L}\p{N}]/u.test(foreign)) {
    throw new RelayError(
      'LookAlikeName',
      `The ${what} name has a character that is not ASCII (${codePoint(foreign)}) and can look like another one.`,
    );
  }
  const wrong = [...name].find((letter) => !/[A-Za-z0-9_-]/.test(letter)) ?? name[0] ?? '';
  throw new RelayError(
    'InvalidName',
    `The ${what} name cannot contain ${shown(wrong)} ${wrong === name[0] ? 'at its start' : ''}`
      .trimEnd()
      .concat('.'),
  );
}

/** Whether an agent may have this name, without regard to other agents. */
export const isAgentName = (text: string): boolean =>
  isName(text) && !RESERVED.has(nameKey(text)) && !RESERVED.has(nameSkeleton(text));

/** Checks the name of a new agent: the grammar, and that it is not reserved. */
export function checkAgentName(name: string): string {
  checkName(name, 'agent');
  if (RESERVED.has(nameKey(name))) throw new RelayError('ReservedName', `"${name}" is a reserved word.`);
  if (RESERVED.has(nameSkeleton(name)))
    throw new RelayError('LookAlikeName', `"${name}" looks too much like a reserved word.`);
  return name;
}

/** Names are not case-sensitive: this form is compared, and unique in the store. */
export const nameKey = (name: string): string => name.toLowerCase();

export const isReserved = (word: string): boolean => RESERVED.has(nameKey(word));

/** Words with dots between them: `review.submit_vote`. */
const ACTION_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$/;

export const isActionName = (text: string): boolean =>
  text.length <= MAX_NAME_LENGTH && ACTION_NAME.test(text);

/** How the name of an action looks, for errors. */
export const ACTION_NAME_RULE = `must be letters, digits, _ and -, with single dots between them, ${MAX_NAME_LENGTH} characters at most`;

/** Two names that differ in dots and underscores, or in case, are one: some clients cannot have dots. */
export const actionKey = (name: string): string => name.replaceAll('.', '_').toLowerCase();

/**
 * Two names with the same skeleton cannot be told apart at a glance: capital I, l and 1; capital O and 0.
 * A new name may not share its skeleton with another one of the project.
 */
export const nameSkeleton = (name: string): string =>
  name.replace(/[I1|]/g, 'l').replace(/0/g, 'o').toLowerCase();

/** Any text, such as a system user name, as an agent name; `fallback` if no character can be kept. */
export function agentNameOf(text: string, fallback = 'user'): string {
  const name = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|-+$/g, '')
    .slice(0, MAX_NAME_LENGTH);
  if (name === '') return fallback;
  return isAgentName(name) ? name : `${name.slice(0, MAX_NAME_LENGTH - 1 - fallback.length)}-${fallback}`;
}

/** The known names most similar to one that was not found, best first. */
export function nearNames(wanted: string, known: Iterable<string>, limit = 3): string[] {
  const key = nameKey(wanted);
  const furthest = Math.max(1, Math.floor((key.length + 1) / 3));
  const scored: Array<{ name: string; distance: number }> = [];
  for (const name of known) {
    const candidate = nameKey(name);
    const distance =
      candidate.startsWith(key) || key.startsWith(candidate) ? 1 : editDistance(key, candidate, furthest);
    if (distance <= furthest) scored.push({ name, distance });
  }
  scored.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return scored.slice(0, limit).map(({ name }) => name);
}

/** The number of missing, extra, wrong or swapped letters. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swapped =
        a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
          ? (beforePrevious[column - 2] ?? 0) + 1
          : Number.POSITIVE_INFINITY;
      current.push(Math.min(replaced, swapped, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    [beforePrevious, previous] = [previous, current];
  }
  return previous[b.length] ?? limit + 1;
}

const codePoint = (letter: string): string =>
  `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
function shown(letter: string): string {
  if (letter === ' ') return 'a space';
  return /[\x21-\x7e]/.test(letter) ? `"${letter}"` : codePoint(letter);
}
