const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const END = Buffer.from('\n');

/**
 * A message that came over a network may be spread over several lines, and what is no JSON may have line ends anywhere:
 * whoever reads it line by line must not find two messages in it. Between the parts of JSON a space does as well.
 */
export function withoutNewlines(message: Buffer): Buffer {
  if (!message.includes(NEWLINE) && !message.includes(RETURN)) return message;
  return Buffer.from(message.map((byte) => (byte === NEWLINE || byte === RETURN ? SPACE : byte)));
}

/** A message as one line. */
export const toLine = (message: Buffer): Buffer => Buffer.concat([withoutNewlines(message), END]);
