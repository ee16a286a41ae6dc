import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { LineReader, listenOnPrivateSocket } from '@agent-relay/platform';
import { type PluginAnswer, type PluginReport, parsePluginReport } from './plugin-report.ts';

/** More than a report ever has. */
const MOST_BYTES = 256 * 1024;
const ANSWER_MS = 10_000;

/** Where the plugin in the CLI tells what is shown, and is asked to prompt. */
export class PluginServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #asked = new Map<number, (answer: PluginAnswer | undefined) => void>();
  readonly #sockets = new Set<Socket>();
  #plugin: Socket | undefined;
  #count = 0;
  onReport: (report: Exclude<PluginReport, { kind: 'answer' }>) => void = () => undefined;
  /** The plugin came or went. */
  onChange: () => void = () => undefined;

  private constructor() {
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** The socket is to be in a directory that is this user's alone. */
  static async listen(socketPath: string): Promise<PluginServer> {
    const server = new PluginServer();
    await listenOnPrivateSocket(server.#server, socketPath);
    return server;
  }

  get isConnected(): boolean {
    return this.#plugin !== undefined;
  }

  /** Its answer; undefined if there was none in time. */
  request(wanted: { prompt: object } | { find: object }): Promise<PluginAnswer | undefined> {
    const plugin = this.#plugin;
    if (!plugin) return Promise.resolve(undefined);
    const request = ++this.#count;
    return new Promise((resolve) => {
      const answer = (found: PluginAnswer | undefined) => {
        this.#asked.delete(request);
        clearTimeout(timer);
        resolve(found);
      };
      const timer = setTimeout(() => answer(undefined), ANSWER_MS);
      this.#asked.set(request, answer);
      plugin.write(`${JSON.stringify({ request, ...wanted })}\n`);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    // A CLI that is killed is as good as one that ended.
    socket.on('error', () => socket.destroy());
    // The newest one: OpenCode may load its plugins again.
    this.#plugin?.destroy();
    this.#plugin = socket;
    const reader = new LineReader(MOST_BYTES, {
      line: (bytes) => this.#heard(bytes.toString('utf8')),
      oversized: () => socket.destroy(),
      blank: () => undefined,
    });
    socket.on('data', (bytes) => reader.push(bytes));
    socket.once('close', () => {
      this.#sockets.delete(socket);
      if (this.#plugin !== socket) return;
      this.#plugin = undefined;
      for (const answer of this.#asked.values()) answer(undefined);
      this.onChange();
    });
    this.onChange();
  }

  #heard(line: string): void {
    const report = parsePluginReport(line);
    if (report?.kind === 'answer') this.#asked.get(report.request)?.(report.answer);
    else if (report) this.onReport(report);
  }
}
