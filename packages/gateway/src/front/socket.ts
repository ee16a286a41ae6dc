import type { Socket } from 'node:net';
import { isRelayError, RelayError } from '@agent-relay/protocol';
import { reasonOf } from '../backend/reason.ts';
import type { Gateway } from '../gateway.ts';
import { readFirstLine } from '../json/first-line.ts';
import type { FrontSessionOptions } from './session/context.ts';
import { serveGatewayStdio } from './stdio.ts';

/**
 * Serves a client on a local socket until it disconnects. Its first line is JSON that identifies it; `admit` checks that,
 * and the reply is a line with `ok` or `error`. After that both speak MCP, one message per line.
 */
export async function serveGatewaySocket(
  gateway: Gateway,
  socket: Socket,
  admit: (hello: unknown) => Promise<FrontSessionOptions>,
): Promise<void> {
  // An error is always followed by 'close'.
  socket.on('error', () => undefined);
  try {
    const options = await admit(await readHello(socket));
    socket.write(`${JSON.stringify({ ok: true })}\n`);
    const served = serveGatewayStdio(gateway, { ...options, input: socket, output: socket });
    socket.resume();
    await served;
  } catch (error) {
    const refused = isRelayError(error)
      ? error
      : new RelayError('Internal', reasonOf(error), { cause: error });
    socket.write(`${JSON.stringify({ error: refused.toPayload() })}\n`);
  } finally {
    socket.end();
  }
}

async function readHello(socket: Socket): Promise<unknown> {
  const line = await readFirstLine(socket);
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new RelayError('InvalidRequest', 'The first line is not JSON.', { cause });
  }
}
