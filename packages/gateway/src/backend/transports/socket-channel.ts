import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { LineReader } from '@agent-relay/platform';
import { type ErrorPayload, RelayError } from '@agent-relay/protocol';
import { readFirstLine } from '../../json/first-line.ts';
import { toLine } from '../../json/lines.ts';
import { type CustomChannel, NotWritten, type TransportEvents } from './transport.ts';

/** More than a gateway forwards. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Connects to a gateway served by `serveGatewaySocket`. `hello` identifies the client. */
export async function openSocketChannel(
  path: string,
  hello: Record<string, unknown>,
  events: TransportEvents,
): Promise<CustomChannel> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    await introduce(socket, hello);
  } catch (error) {
    socket.destroy();
    throw error;
  }
  const lines = new LineReader(MAX_LINE_BYTES, { line: events.message, oversized: events.oversized });
  socket.on('data', (chunk) => lines.push(chunk));
  // An error is always followed by 'close'.
  socket.on('error', () => undefined);
  socket.on('close', () => events.closed('the other end closed the connection'));
  socket.resume();
  return {
    get backlog() {
      return socket.writableLength;
    },
    send(message) {
      if (!socket.writable) throw new NotWritten('the connection is closed');
      socket.write(toLine(message));
    },
    async close() {
      if (socket.closed) return;
      const closed = once(socket, 'close');
      socket.destroySoon();
      await closed;
    },
  };
}

async function introduce(socket: Socket, hello: Record<string, unknown>): Promise<void> {
  socket.write(`${JSON.stringify(hello)}\n`);
  const { error } = JSON.parse(await readFirstLine(socket)) as { error?: ErrorPayload };
  if (error) throw RelayError.fromPayload(error);
}
