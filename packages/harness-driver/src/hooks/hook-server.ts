import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { LineReader, listenOnPrivateSocket } from '@agent-relay/platform';
import { type HookReport, parseReport } from './hook-report.ts';
import { Waiter } from './waiter.ts';

/** More than a report ever has. */
const MOST_BYTES = 64 * 1024;

/** Where the hooks of the CLI in this terminal tell what happens, and one of them waits for a message. */
export class HookServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #waiter: Waiter | undefined;
  /** Called for each report; and without one when the process that waits has changed. */
  onReport: (report?: HookReport) => void = () => undefined;

  private constructor() {
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** The socket is to be in a directory that is this user's alone. */
  static async listen(socketPath: string): Promise<HookServer> {
    const hooks = new HookServer();
    await listenOnPrivateSocket(hooks.#server, socketPath);
    return hooks;
  }

  /** The process that waits now, if one does: its connection is what tells. */
  get waiter(): Waiter | undefined {
    return this.#waiter?.isWaiting ? this.#waiter : undefined;
  }

  /** The processes that wait end with their connections. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    // A hook that is killed is as good as one that ended.
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#sockets.delete(socket));
    let waiter: Waiter | undefined;
    const reader = new LineReader(MOST_BYTES, {
      line: (bytes) => {
        const line = bytes.toString('utf8');
        if (waiter) waiter.heard(line);
        else waiter = this.#report(socket, line);
      },
      oversized: () => socket.destroy(),
      blank: () => undefined,
    });
    socket.on('data', (bytes) => reader.push(bytes));
  }

  #report(socket: Socket, line: string): Waiter | undefined {
    const report = parseReport(line);
    if (report === undefined) {
      socket.destroy();
      return undefined;
    }
    const waiter = report.waits ? this.#keep(socket) : undefined;
    if (!waiter) socket.end('{}\n');
    this.onReport(report);
    return waiter;
  }

  /** The newest belongs to the session as it is now; one is enough. */
  #keep(socket: Socket): Waiter {
    const waiter = new Waiter(socket);
    this.#waiter?.release();
    this.#waiter = waiter;
    socket.once('close', () => this.onReport());
    return waiter;
  }
}
