import type { z } from 'zod';
import { RelayError } from '../errors.ts';
import { issueText } from '../text/issue-text.ts';
import { isClientId } from '../vocabulary.ts';

/** The protocol versions this package supports. */
export const PROTOCOL = { min: 1, max: 1 } as const;

/** Everything on the wire is an envelope; `v` is the version of this shape. */
export interface Envelope<T = unknown> {
  v: 1;
  type: string;
  id: string;
  ts: number;
  payload: T;
}

/** Reads one envelope; the payload is checked later, where its type is known. */
export function decodeEnvelope(text: string): Envelope {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new RelayError('MalformedFrame', 'The frame is not JSON.', { cause });
  }
  const flaw = flawOf(value);
  if (flaw === undefined) {
    const { v, type, id, ts, payload } = value as Envelope;
    return { v, type, id, ts, payload };
  }
  const version = (value as { v?: unknown } | null)?.v;
  if (typeof version === 'number' && version !== 1) {
    throw new RelayError('VersionMismatch', `Unknown envelope version ${version}; expected 1.`);
  }
  throw new RelayError('MalformedFrame', `The frame is not an envelope: ${flaw}.`);
}

/** Why a value is not an envelope. Written by hand, because it runs for every frame in every client. */
function flawOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return 'it is not an object';
  const { v, type, id, ts } = value as Record<string, unknown>;
  if (v !== 1) return 'v: must be 1';
  if (typeof type !== 'string' || !/^[A-Z][A-Z_]{0,31}$/.test(type)) return 'type: must be an uppercase word';
  if (typeof id !== 'string' || !isClientId(id))
    return 'id: must be 1 to 64 printable characters without spaces';
  if (typeof ts !== 'number') return 'ts: must be a number';
  if (!('payload' in value)) return 'payload: is missing';
  return undefined;
}

export const encodeEnvelope = (type: string, id: string, ts: number, payload: unknown): string =>
  JSON.stringify({ v: 1, type, id, ts, payload });

/** Parses a payload with its schema, or says which field is wrong. */
export function parsePayload<T extends z.ZodType>(schema: T, payload: unknown, type: string): z.output<T> {
  const parsed = schema.safeParse(payload ?? {}, { error: issueText });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.');
  throw new RelayError(
    'InvalidRequest',
    `${[type, field, issue?.message].filter(Boolean).join(': ')}.`,
    field ? { details: { field } } : {},
  );
}

/** The newest version both sides support; undefined if there is none. */
export function negotiate(
  client: { min: number; max: number },
  own: { min: number; max: number } = PROTOCOL,
): number | undefined {
  const version = Math.min(client.max, own.max);
  return version >= Math.max(client.min, own.min) ? version : undefined;
}
