import { createHash } from 'node:crypto';

/** The longest tool name that every client accepts. */
const LIMIT = 64;

/**
 * The offered name of a tool or prompt: prefix and name, with unsupported characters replaced. A name that is too long
 * is cut and gets a short hash, so that it stays unique.
 */
export function offeredName(prefix: string, name: string): string {
  const wanted = prefix + name;
  const plain = wanted.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  if (plain.length <= LIMIT) return plain;
  const hash = createHash('sha256').update(wanted).digest('hex').slice(0, 8);
  return `${plain.slice(0, LIMIT - 9)}_${hash}`;
}

/** `*` matches any text. Deny wins; an empty allow list allows everything. */
export function isAllowed(name: string, allow: string[], deny: string[]): boolean {
  return (
    !deny.some((pattern) => matches(pattern, name)) &&
    (allow.length === 0 || allow.some((pattern) => matches(pattern, name)))
  );
}

const matches = (pattern: string, name: string): boolean => fits(pattern.split('*'), name, 0);

/** Whether a URI matches a template such as `file:///{path}`. */
export const matchesTemplate = (template: string, uri: string): boolean =>
  fits(template.split(/\{[^}]*\}/), uri, 1);

/**
 * Whether the text consists of the parts in order, with at least `gap` characters between them. Takes linear time:
 * patterns come from backends, and a regular expression could hang the gateway.
 */
function fits(parts: string[], text: string, gap: number): boolean {
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (parts.length === 1) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at + gap);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at + gap <= text.length - last.length;
}
