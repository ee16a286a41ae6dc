import { createHash } from 'node:crypto';
import { isObject } from '../json/raw-json.ts';

/** Marks hashes of whole definitions. A hash without it is from a version that checked less and never matches. */
const MARK = 'whole:';

export const coversWhole = (hash: string): boolean => hash.startsWith(MARK);

const known = new WeakMap<object, string>();

/**
 * The hash of a whole tool definition, unknown fields included, since all of it reaches clients. The order of keys does
 * not matter. Hashes are cached: catalogs are rebuilt often from the same definitions.
 */
export function definitionHash(tool: Record<string, unknown>): string {
  const hash = known.get(tool) ?? MARK + createHash('sha256').update(canonical(tool)).digest('hex');
  known.set(tool, hash);
  return hash;
}

/** JSON with sorted keys. The nesting limit for messages bounds the recursion. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
}
