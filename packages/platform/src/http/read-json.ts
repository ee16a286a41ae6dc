import type { IncomingMessage } from 'node:http';
import { parsePayload, RelayError } from '@agent-relay/protocol';

const MAX_BYTES = 1024 * 1024;

type Schema = Parameters<typeof parsePayload>[0];

/** The JSON that was posted, checked. A form of a web page cannot send this type without asking first. */
export async function readJson<S extends Schema>(
  request: IncomingMessage,
  schema: S,
): Promise<ReturnType<typeof parsePayload<S>>> {
  const { method, headers } = request;
  if (method !== 'POST') throw new RelayError('InvalidRequest', 'This address takes POST.');
  if (!/^application\/json\b/i.test(headers['content-type'] ?? ''))
    throw new RelayError('InvalidRequest', 'The content type must be application/json.');
  return parsePayload(schema, parsed(await bodyOf(request)), 'The request');
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > MAX_BYTES)
      throw new RelayError('BodyTooLarge', `The request is larger than ${MAX_BYTES} bytes.`);
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
