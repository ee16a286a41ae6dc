import { createConnection, type Socket } from 'node:net';
import { isMissing } from '@agent-relay/platform';
import { encodeFrame, FrameParser, isRelayError, RelayError } from '@agent-relay/protocol';
import type { OpenWire, Wire, WireEvents } from '../connection/wire.ts';

/**
 * The largest frame accepted from the daemon. A page of an inbox is far larger than any request; the limit only serves
 * to notice, before memory fills up, that the data is not frames at all.
 */
const MAX_RECEIVED_BYTES = 64 * 1024 * 1024;

/** Opens a connection with length-prefixed frames. The path is looked up each time: it may change with a new daemon. */
export const unixSocketWire =
  (findPath: () => Promise<string>): OpenWire =>
  async (events, signal) => {
    const path = await findPath();
    const socket = createConnection({ path, signal });
    return new Promise((resolve, reject) => {
      socket.once('error', (error) => reject(openError(error, path)));
      socket.once('connect', () => {
        socket.removeAllListeners('error');
        resolve(wireOf(socket, events));
      });
    });
  };

function wireOf(socket: Socket, events: WireEvents): Wire {
  const parser = new FrameParser(MAX_RECEIVED_BYTES);
  let failure: RelayError | undefined;
  const destroy = (error?: RelayError) => {
    failure ??= error;
    socket.destroy();
  };
  socket.on('data', (chunk) => {
    try {
      parser.push(chunk, events.onText);
    } catch (error) {
      if (!isRelayError(error)) throw error;
      destroy(
        new RelayError('Connection', 'The program that listens on the socket is not an agent-relay daemon.', {
          cause: error,
        }),
      );
    }
  });
  socket.on('error', (error) => {
    failure ??= new RelayError('Connection', `The connection was lost: ${error.message}.`, { cause: error });
  });
  socket.on('close', () => events.onClose(failure));

  let gathered: Uint8Array[] = [];
  const flush = () => {
    const [first, ...others] = gathered;
    gathered = [];
    if (first === undefined || socket.destroyed) return;
    socket.write(others.length === 0 ? first : Buffer.concat([first, ...others]));
  };
  return {
    send: (text) => {
      // Everything sent in one turn of the event loop is one write.
      if (gathered.push(encodeFrame(text)) === 1) setImmediate(flush);
    },
    close: () => {
      flush();
      socket.end();
    },
    destroy: () => destroy(),
  };
}

function openError(error: NodeJS.ErrnoException, path: string): RelayError {
  const options = { cause: error };
  if (error.code === 'EACCES' || error.code === 'EPERM') {
    return new RelayError('NotAllowedToRunAs', `${path} belongs to another user.`, options);
  }
  if (isMissing(error) || error.code === 'ECONNREFUSED' || error.code === 'ENOTSOCK') {
    return new RelayError('DaemonNotRunning', `No daemon listens on ${path}.`, options);
  }
  return new RelayError('Connection', `${path} cannot be reached: ${error.message}.`, options);
}
