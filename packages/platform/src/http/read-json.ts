import type { IncomingMessage } from 'node:http';
import { parsePayload, RelayError } from '@agent-relay/protocol';

const MAX_BYTES = 1024 * 1024;

type Schema = Parameters<typeof parsePayload>[0];

/** The posted JSON, checked. A web page cannot send this type without a CORS preflight. */
export async function readJson<S extends Schema>(
  request: IncomingMessage,
  schema: S,
): Promise<ReturnType<typeof parsePayload<S>>> {
  const { method, headers } = request;
  if (method !== 'POST') throw new RelayError('InvalidRequest', 'Use POST for this address.');
  if (!/^application\/json\b/i.test(headers['content-type'] ?? ''))
    throw new RelayError('InvalidRequest', 'The content type must be application/json.');
  return parsePayload(schema, parsed(await readBody(request, MAX_BYTES)), 'The request');
}

/** Reads the body of a request, up to a limit. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > maxBytes)
      throw new RelayError('BodyTooLarge', `The request is larger than ${maxBytes} bytes.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RelayError('InvalidRequest', 'The request is not JSON.');
  }
}
