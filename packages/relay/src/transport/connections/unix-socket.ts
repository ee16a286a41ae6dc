import { rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { listenOnPrivateSocket } from '@agent-relay/platform';
import { FrameParser, RelayError } from '@agent-relay/protocol';
import { FAREWELL_MS } from '../flow/limits.ts';
import type { AcceptConnection, Connection, Outgoing } from './connection.ts';
import { GroupedWrites } from './grouped-writes.ts';

/** Listens for clients of the relay's protocol. */
export const listenOnSocket = (
  path: string,
  maxFrameBytes: number,
  accept: AcceptConnection,
): Promise<Server> => listenPrivately(path, (socket) => serve(socket, maxFrameBytes, accept));

/** Listens on a socket only its owner can open. A file left behind by a dead daemon is replaced. */
export async function listenPrivately(path: string, connected: (socket: Socket) => void): Promise<Server> {
  const server = createServer(connected);
  removeStale(path);
  await listenOnPrivateSocket(server, path);
  // A connection that could not be accepted is lost. Without a listener it would crash the process.
  server.on('error', () => undefined);
  return server;
}

/** The caller holds the lock of the data directory, so an existing socket file is stale. */
const removeStale = (path: string): void => rmSync(path, { force: true });

function serve(socket: Socket, maxFrameBytes: number, accept: AcceptConnection): void {
  const connection = new SocketConnection(socket);
  const session = accept(connection);
  const parser = new FrameParser(maxFrameBytes);
  socket.on('data', (chunk) => {
    try {
      parser.push(chunk, session.text, (error) => session.invalid(error, false));
    } catch (error) {
      session.invalid(error instanceof Error ? error : new RelayError('MalformedFrame'), true);
    }
  });
  socket.on('drain', session.drained);
  socket.on('error', ignore);
  socket.on('close', session.closed);
}

/** An error is always followed by 'close', which is what the session acts on. */
const ignore = (): void => undefined;

class SocketConnection implements Connection {
  readonly label = 'unix socket';
  readonly #socket: Socket;
  readonly #writes: GroupedWrites;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#writes = new GroupedWrites(socket);
  }

  send(outgoing: Outgoing): void {
    if (!this.#socket.writable) return;
    this.#writes.begin(outgoing.canWait);
    this.#socket.write(outgoing.frame);
  }

  get bufferedBytes(): number {
    return this.#socket.writableLength;
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  close(hard = false): void {
    if (hard) {
      this.#socket.destroy();
      return;
    }
    // Keep reading, to notice when the peer has closed its side.
    this.#socket.resume();
    this.#socket.end();
    setTimeout(() => this.#socket.destroy(), FAREWELL_MS).unref();
  }
}
