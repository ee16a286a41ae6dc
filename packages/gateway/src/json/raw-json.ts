/**
 * Routes JSON without parsing it. Messages stay bytes; only the top level of an object is scanned. So the cost of a call
 * hardly depends on its size, and numbers, key order and unknown fields survive.
 *
 * Safe with hostile input: for valid JSON the members are exactly right, and invalid JSON is rejected by the one that parses
 * it in the end.
 */
export type JsonMembers = Map<string, Buffer>;

/** Deeper than any legitimate message. Parsers downstream may recurse. */
const MAX_DEPTH = 512;
const TOO_DEEP = `it is nested deeper than ${MAX_DEPTH} levels`;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** A scanned JSON object. */
interface ScannedObject {
  members: JsonMembers;
  /** Why it must not be forwarded, such as "it is nested deeper than 512 levels". */
  flaw: string | undefined;
}

/** The members of a JSON object; undefined if the bytes are not one object that may be forwarded. */
export function scanObject(bytes: Buffer): JsonMembers | undefined {
  const scanned = scanMessage(bytes);
  return scanned?.flaw === undefined ? scanned?.members : undefined;
}

/**
 * The members of a JSON-RPC message, even if it must not be forwarded: its id is needed to reject it. Undefined if the
 * bytes are not one object.
 */
export function scanMessage(bytes: Buffer): ScannedObject | undefined {
  const scanned: ScannedObject = { members: new Map(), flaw: undefined };
  let ids = 0;
  let at = skipSpace(bytes, 0);
  if (bytes[at] !== OPEN_BRACE) return undefined;
  at = skipSpace(bytes, at + 1);
  if (bytes[at] === CLOSE_BRACE) return skipSpace(bytes, at + 1) === bytes.length ? scanned : undefined;
  while (bytes[at] === QUOTE) {
    const keyEnd = skipString(bytes, at);
    const colon = skipSpace(bytes, keyEnd);
    if (bytes[colon] !== COLON) return undefined;
    const start = skipSpace(bytes, colon + 1);
    const end = skipValue(bytes, start, scanned);
    if (end <= start) return undefined;
    const key = keyText(bytes, at, keyEnd);
    if (key === undefined) return undefined;
    if (key === 'id') ids++;
    // Two parsers could read it as two different messages.
    if (scanned.members.has(key)) scanned.flaw = 'it has a duplicate key';
    else scanned.members.set(key, bytes.subarray(start, end));
    at = skipSpace(bytes, end);
    if (bytes[at] === CLOSE_BRACE) {
      // With two ids it cannot be assigned to a call.
      if (ids > 1) scanned.members.delete('id');
      return skipSpace(bytes, at + 1) === bytes.length ? scanned : undefined;
    }
    if (bytes[at] !== COMMA) return undefined;
    at = skipSpace(bytes, at + 1);
  }
  return undefined;
}

/** Serializes an object from raw values. */
export function joinObject(members: Iterable<[string, Buffer]>): Buffer {
  const parts: Buffer[] = [];
  let lead = '{';
  for (const [key, value] of members) {
    parts.push(Buffer.from(`${lead}${JSON.stringify(key)}:`), value);
    lead = ',';
  }
  parts.push(Buffer.from(parts.length === 0 ? '{}' : '}'));
  return Buffer.concat(parts);
}

export const toJson = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** The parsed value; undefined if the bytes are not JSON. */
function fromJson(bytes: Buffer | undefined): unknown {
  if (bytes === undefined) return undefined;
  try {
    return JSON.parse(bytes.toString());
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export const stringFrom = (bytes: Buffer | undefined): string | undefined => {
  if (bytes?.[0] !== QUOTE) return undefined;
  const value = fromJson(bytes);
  return typeof value === 'string' ? value : undefined;
};

export const objectFrom = (bytes: Buffer | undefined): Record<string, unknown> | undefined => {
  const value = fromJson(bytes);
  return isObject(value) ? value : undefined;
};

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  for (
    let byte = bytes[at];
    byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
    byte = bytes[at]
  )
    at++;
  return at;
}

/** `from` is at the opening quote; returns the position after the closing one. */
function skipString(bytes: Buffer, from: number): number {
  const near = Math.min(bytes.length, from + 64);
  let at = from + 1;
  for (; at < near; at++) {
    if (bytes[at] === QUOTE) return at + 1;
    if (bytes[at] === BACKSLASH) at++;
  }
  // The native search skips long text (file contents, images) fast.
  for (;;) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote === -1) return bytes.length + 1;
    let slashes = 0;
    while (quote - 1 - slashes >= at && bytes[quote - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

function skipValue(bytes: Buffer, from: number, scanned: ScannedObject): number {
  const first = bytes[from];
  if (first === QUOTE) return skipString(bytes, from);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) {
    let at = from;
    for (let byte = bytes[at]; byte !== undefined && isScalarByte(byte); byte = bytes[at]) at++;
    return at;
  }
  let depth = 0;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = skipString(bytes, at) - 1;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (++depth > MAX_DEPTH) scanned.flaw = TOO_DEEP;
    } else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return at + 1;
  }
  return from;
}

const isScalarByte = (byte: number) =>
  byte > 0x20 &&
  byte !== COMMA &&
  byte !== CLOSE_BRACE &&
  byte !== CLOSE_BRACKET &&
  byte !== COLON &&
  byte !== QUOTE;

function keyText(bytes: Buffer, start: number, end: number): string | undefined {
  for (let at = start + 1; at < end - 1; at++) {
    const byte = bytes[at];
    if (byte === BACKSLASH || byte === undefined || byte > 0x7e)
      return stringFrom(bytes.subarray(start, end));
  }
  return bytes.toString('latin1', start + 1, end - 1);
}
