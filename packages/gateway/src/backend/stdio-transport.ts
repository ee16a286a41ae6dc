import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { StdioEndpoint } from '../config/backend-config.ts';
import { LineReader, toLine } from '../json/lines.ts';
import { backendEnvironment } from './environment.ts';
import { forgetGroup, watchGroup } from './reaper.ts';
import { type BackendTransport, NotWritten, type TransportEvents } from './transport.ts';

/** How long a child has after each step: end of input, then SIGTERM, then SIGKILL. */
const GRACE_MS = 1500;
/** The last words of a child, told when it dies. */
const KEPT_STDERR = 2000;

/** A child process that speaks line by line. It leads its own process group, and the whole group ends with it. */
export class StdioTransport implements BackendTransport {
  readonly kind = 'stdio';
  readonly #endpoint: StdioEndpoint;
  readonly #events: TransportEvents;
  readonly #lines: LineReader;
  #child: ChildProcess | undefined;
  #stderr = '';
  #over = false;

  constructor(endpoint: StdioEndpoint, maxMessageBytes: number, events: TransportEvents) {
    this.#endpoint = endpoint;
    this.#events = events;
    this.#lines = new LineReader(maxMessageBytes, {
      line: (bytes) => events.message(bytes),
      oversized: (head, tail) => events.oversized(head, tail),
    });
  }

  get backlog(): number {
    return this.#child?.stdin?.writableLength ?? 0;
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#endpoint;
    const child = spawn(command, args, {
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: backendEnvironment(process.env, env),
      ...(cwd === undefined ? {} : { cwd }),
    });
    this.#child = child;
    child.once('exit', (code, signal) =>
      this.#ended(signal ? `ended by ${signal}` : `exited with code ${code}`),
    );
    child.stdin.on('error', () => undefined /* the exit event tells more */);
    child.stdout.on('data', (chunk: Buffer) => this.#lines.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString()).slice(-KEPT_STDERR);
    });
    await Promise.race([
      once(child, 'spawn'),
      once(child, 'error').then(([error]: Error[]) => {
        this.#over = true;
        throw new Error(`cannot start ${command}: ${error?.message}`);
      }),
    ]);
    if (child.pid !== undefined) watchGroup(child.pid);
  }

  send(message: Buffer): void | Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) throw new NotWritten('the process takes no input');
    if (!stdin.writableNeedDrain) return void stdin.write(toLine(message));
    return new Promise((resolve, reject) => {
      stdin.write(toLine(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (!child?.pid || this.#over) return;
    const gone = once(child, 'exit');
    child.stdin?.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const ended = await Promise.race([gone.then(() => true), delay(GRACE_MS, false, { ref: false })]);
      if (ended) return;
      signalGroup(child.pid, signal);
    }
    await gone;
  }

  #ended(reason: string): void {
    if (this.#over) return;
    this.#over = true;
    const pid = this.#child?.pid;
    if (pid !== undefined) {
      // What the child started and left behind goes with it.
      signalGroup(pid, 'SIGKILL');
      forgetGroup(pid);
    }
    const words = this.#stderr.trim().split('\n').at(-1);
    this.#events.closed(words ? `the process ${reason}: ${words}` : `the process ${reason}`);
  }
}

function signalGroup(groupId: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-groupId, signal);
  } catch (error) {
    if (
      (error as NodeJS.ErrnoException).code !== 'ESRCH' &&
      (error as NodeJS.ErrnoException).code !== 'EPERM'
    )
      throw error;
  }
}
