import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodeEnvelope, encodeFrame } from '@agent-relay/protocol';
import { sampleBody } from './pairs.ts';

const PROGRAM = fileURLToPath(import.meta.url);

/** The minimum cost of two hops over a local socket: a process that copies bytes from one client to another. */
export class RawEcho implements Disposable {
  readonly #child: ChildProcess;
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #frame = encodeFrame(
    encodeEnvelope('SEND', '1', Date.now(), { to: 'receiver', content: sampleBody() }),
  );

  private constructor(child: ChildProcess, from: Socket, to: Socket) {
    this.#child = child;
    this.#from = from;
    this.#to = to;
  }

  static async start(directory: string): Promise<RawEcho> {
    const socketPath = join(directory, 'echo.sock');
    const child = fork(PROGRAM, [socketPath]);
    await once(child, 'message');
    const from = createConnection(socketPath);
    await once(from, 'connect');
    const to = createConnection(socketPath);
    await once(to, 'connect');
    return new RawEcho(child, from, to);
  }

  /** Milliseconds from the write of one client to the arrival at the other, one message at a time. */
  async measure(count: number): Promise<number[]> {
    const latencies: number[] = [];
    for (let i = 0; i < count; i++) {
      const startedAt = performance.now();
      let missing = this.#frame.length;
      const arrived = new Promise<void>((resolve) => {
        const onData = (chunk: Buffer) => {
          missing -= chunk.length;
          if (missing > 0) return;
          this.#to.off('data', onData);
          resolve();
        };
        this.#to.on('data', onData);
      });
      this.#from.write(this.#frame);
      await arrived;
      latencies.push(performance.now() - startedAt);
    }
    return latencies;
  }

  /** Measures about once a millisecond until it is stopped. */
  watch(): { stop(): Promise<number[]> } {
    let stopped = false;
    const latencies: number[] = [];
    const watching = (async () => {
      while (!stopped) {
        latencies.push(...(await this.measure(1)));
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      return latencies;
    })();
    return {
      stop() {
        stopped = true;
        return watching;
      },
    };
  }

  [Symbol.dispose](): void {
    this.#from.destroy();
    this.#to.destroy();
    this.#child.kill('SIGKILL');
  }
}

function serve(socketPath: string): void {
  const clients: Socket[] = [];
  const server = createServer((socket) => {
    clients.push(socket);
    if (clients.length === 1) socket.on('data', (chunk) => clients[1]?.write(chunk));
  });
  server.listen(socketPath, () => process.send?.('listening'));
  process.on('disconnect', () => process.exit());
}

if (process.argv[1] === PROGRAM) serve(process.argv[2] ?? '');
