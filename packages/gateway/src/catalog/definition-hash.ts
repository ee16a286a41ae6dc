import { createHash } from 'node:crypto';
import { isObject } from '../json/raw-json.ts';

/** Marks what a hash covers: one without it is of a version that compared less, and matches nothing. */
const MARK = 'whole:';

export const coversWhole = (hash: string): boolean => hash.startsWith(MARK);

const known = new WeakMap<object, string>();

/**
 * The hash of all of a tool's definition: everything in it reaches clients, fields that nobody knows yet as well. The
 * order of keys does not matter. Each definition is hashed once: catalogs are made from the same ones many times.
 */
export function definitionHash(tool: Record<string, unknown>): string {
  const hash = known.get(tool) ?? MARK + createHash('sha256').update(canonical(tool)).digest('hex');
  known.set(tool, hash);
  return hash;
}

/** JSON with the keys of each object in order. It recurses no deeper than a message may be nested. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
}
