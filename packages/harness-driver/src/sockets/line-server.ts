import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { LineReader, listenOnPrivateSocket } from '@agent-relay/platform';

/** Called for each program that connects; returns what to do with the lines it writes. */
type Serve = (stream: Duplex) => (line: string) => void;

/** Where programs in or beside the CLI of a run connect and write lines. */
export class LineServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #mostBytes: number;
  readonly #serve: Serve;

  /** `mostBytes`: more than a line ever has. */
  constructor(mostBytes: number, serve: Serve) {
    this.#mostBytes = mostBytes;
    this.#serve = serve;
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      this.connected(socket);
    });
  }

  /** The socket's directory must be private to this user. */
  listen(socketPath: string): Promise<void> {
    return listenOnPrivateSocket(this.#server, socketPath);
  }

  /** All connections end with it. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** A program that is connected already. */
  connected(stream: Duplex): void {
    // A killed program counts as ended.
    stream.on('error', () => stream.destroy());
    const take = this.#serve(stream);
    const reader = new LineReader(this.#mostBytes, {
      line: (bytes) => take(bytes.toString('utf8')),
      oversized: () => stream.destroy(),
      blank: () => undefined,
    });
    stream.on('data', (bytes) => reader.push(bytes));
  }
}
