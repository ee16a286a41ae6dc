const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const END = Buffer.from('\n');

/**
 * A message from the network may span several lines, and invalid JSON may contain line ends anywhere. A reader that goes
 * line by line must not see two messages. In JSON, a space works just as well between tokens.
 */
export function withoutNewlines(message: Buffer): Buffer {
  if (!message.includes(NEWLINE) && !message.includes(RETURN)) return message;
  return Buffer.from(message.map((byte) => (byte === NEWLINE || byte === RETURN ? SPACE : byte)));
}

/** A message as one line. */
export const toLine = (message: Buffer): Buffer => Buffer.concat([withoutNewlines(message), END]);
