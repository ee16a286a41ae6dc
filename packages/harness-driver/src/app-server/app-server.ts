import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { LineReader } from '@agent-relay/platform';
import { parseRpc, type RpcMessage } from './rpc.ts';

export interface AppServerOptions {
  file: string;
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** The history of a long thread is one line. */
const MOST_BYTES = 512 * 1024 * 1024;
const ANSWER_MS = 10_000;
const END_MS = 5000;
const OUR_IDS = 'agent-relay-';

/** The process that does the agent's work. Its stdin is ours, so it ends when we end, for whatever reason. */
export class AppServer implements AsyncDisposable {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #ended: Promise<unknown>;
  readonly #asked = new Map<string, (answer: RpcMessage | undefined) => void>();
  #count = 0;
  #isRunning = true;
  /** Called with everything except the answers to our own requests. */
  onMessage: (message: RpcMessage, text: string) => void = () => undefined;
  onEnd: () => void = () => undefined;

  constructor({ file, args, cwd, env }: AppServerOptions) {
    this.#process = spawn(file, args, { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] });
    const { stdin, stdout } = this.#process;
    // Requests that wait for an answer are settled when it ends.
    stdin.on('error', () => undefined);
    const reader = new LineReader(MOST_BYTES, {
      line: (bytes) => this.#received(bytes.toString('utf8')),
      oversized: () => this.#process.kill('SIGKILL'),
    });
    stdout.on('data', (bytes: Buffer) => reader.push(bytes));
    this.#ended = new Promise<void>((resolve) => {
      this.#process.once('error', () => resolve());
      this.#process.once('exit', () => resolve());
    }).then(() => {
      this.#isRunning = false;
      for (const answer of this.#asked.values()) answer(undefined);
      this.onEnd();
    });
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  send(text: string): void {
    this.#process.stdin.write(`${text}\n`);
  }

  /** Stops reading its output until the returned function is called. */
  pause(): () => void {
    this.#process.stdout.pause();
    return () => void this.#process.stdout.resume();
  }

  /** Its answer; undefined if there was none in time. */
  request(method: string, params: unknown): Promise<RpcMessage | undefined> {
    if (!this.#isRunning) return Promise.resolve(undefined);
    const id = `${OUR_IDS}${++this.#count}`;
    return new Promise((resolve) => {
      const answer = (message: RpcMessage | undefined) => {
        this.#asked.delete(id);
        clearTimeout(timer);
        resolve(message);
      };
      const timer = setTimeout(() => answer(undefined), ANSWER_MS);
      this.#asked.set(id, answer);
      this.send(JSON.stringify({ id, method, params }));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.stdin.end();
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), END_MS);
    if (this.#isRunning && this.#process.pid !== undefined) await this.#ended;
    clearTimeout(timer);
  }

  #received(text: string): void {
    const message = parseRpc(text);
    if (message === undefined) return;
    const { id, method } = message;
    // Late answers are dropped as well.
    if (method === undefined && typeof id === 'string' && id.startsWith(OUR_IDS))
      this.#asked.get(id)?.(message);
    else this.onMessage(message, text);
  }
}
