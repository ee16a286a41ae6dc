import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { LineReader } from '@agent-relay/platform';
import type { StdioEndpoint } from '../../config/backend-config.ts';
import { toLine } from '../../json/lines.ts';
import { backendEnvironment } from './environment.ts';
import { forgetGroup, spawnWatched } from './reaper.ts';
import { type BackendTransport, NotWritten, type TransportEvents } from './transport.ts';

/** Grace period after each step: end of input, SIGTERM, SIGKILL. */
const GRACE_MS = 1500;
/** How long to wait for the last output of an ended child, if another process keeps its output open. */
const LAST_WORDS_MS = 500;
/** How much of a child's stderr is kept, to report when it ends. */
const KEPT_STDERR = 2000;

/** A child process that speaks line by line. It leads its own process group, which ends with it. */
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
    const child = spawnWatched(command, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: backendEnvironment(process.env, env),
      ...(cwd === undefined ? {} : { cwd }),
    });
    this.#child = child;
    child.once('exit', (code, signal) => {
      void this.#ended(child, signal ? `was ended by ${signal}` : `exited with code ${code}`);
    });
    child.stdin.on('error', () => undefined /* the exit event has the reason */);
    child.stdout.on('data', (chunk: Buffer) => this.#lines.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString()).slice(-KEPT_STDERR);
    });
    try {
      await once(child, 'spawn');
    } catch (error) {
      this.#over = true;
      const place = cwd === undefined ? '' : ` in ${cwd}`;
      throw new Error(`cannot start ${command}${place}: ${(error as Error).message}`, { cause: error });
    }
  }

  send(message: Buffer): void | Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) throw new NotWritten('the input of the process is closed');
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

  async #ended(child: ChildProcess, reason: string): Promise<void> {
    this.#over = true;
    const said = once(child, 'close');
    if (child.pid !== undefined) {
      // End what the child left running.
      signalGroup(child.pid, 'SIGKILL');
      forgetGroup(child.pid);
    }
    // Its last output may still be in the pipes.
    await Promise.race([said, delay(LAST_WORDS_MS, undefined, { ref: false })]);
    const words = lastWords(this.#stderr);
    this.#events.closed(`the process ${reason}${words ? `; last output: ${words}` : ''}`);
  }
}

/** The last line; for an uncaught error in Node, the error instead of Node's version. */
function lastWords(output: string): string | undefined {
  const lines = output.trim().split('\n');
  const last = lines.at(-1);
  if (!last?.startsWith('Node.js v')) return last;
  return lines.findLast((line) => /^(\w*Error|Uncaught)\b/.test(line)) ?? last;
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
