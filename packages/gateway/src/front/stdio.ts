import type { Readable, Writable } from 'node:stream';
import { LineReader } from '@agent-relay/platform';
import type { Gateway } from '../gateway.ts';
import { toLine } from '../json/lines.ts';
import { toJson } from '../json/raw-json.ts';
import type { FrontSessionOptions } from './session/context.ts';
import { errorMessage } from './session/messages.ts';

/** A client that does not read loses notifications, but never answers. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;
const MAX_REQUEST_BYTES = 16 * 1024 * 1024;

export interface StdioOptions extends FrontSessionOptions {
  input?: Readable;
  output?: Writable;
}

/** Serves one client line by line. Resolves when the client closes its end. */
export async function serveGatewayStdio(gateway: Gateway, options: StdioOptions = {}): Promise<void> {
  const { input = process.stdin, output = process.stdout, ...sessionOptions } = options;
  const write = (message: Buffer) => {
    output.write(toLine(message));
  };
  const session = gateway.openSession(
    {
      send: (message) => {
        if (output.writableLength < MAX_UNREAD_BYTES) write(message);
      },
      answer: write,
    },
    sessionOptions,
  );
  const lines = new LineReader(MAX_REQUEST_BYTES, {
    line: (bytes) => session.receive(bytes),
    oversized: () =>
      output.write(
        `${errorMessage(toJson(null), toJson({ code: -32600, message: 'The request is too large.' }))}\n`,
      ),
  });
  await new Promise<void>((resolve) => {
    // The client is gone; there is nobody to tell.
    output.on('error', () => resolve());
    input.on('data', (chunk: Buffer) => lines.push(chunk));
    input.on('end', () => resolve());
    input.on('close', () => resolve());
  });
  await session.close();
}
