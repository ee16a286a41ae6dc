import type { Duplex } from 'node:stream';
import { LineServer } from '../sockets/line-server.ts';
import { type PluginAnswer, type PluginReport, parsePluginReport } from './plugin-report.ts';

/** More than any report has. */
const MOST_BYTES = 256 * 1024;
const ANSWER_MS = 10_000;

/** The connection to the plugin in the CLI: it reports what is shown, and is asked to prompt or to pass on an answer. */
export class PluginServer implements AsyncDisposable {
  readonly #lines = new LineServer(MOST_BYTES, (socket) => this.#serve(socket));
  readonly #asked = new Map<number, (answer: PluginAnswer | undefined) => void>();
  #plugin: Duplex | undefined;
  #count = 0;
  onReport: (report: Exclude<PluginReport, { kind: 'answer' }>) => void = () => undefined;
  /** The plugin connected or disconnected. */
  onChange: () => void = () => undefined;

  /** The socket must be in a directory private to this user. */
  static async listen(socketPath: string): Promise<PluginServer> {
    const server = new PluginServer();
    await server.#lines.listen(socketPath);
    return server;
  }

  /** A plugin that is connected in another way. */
  serve(stream: Duplex): void {
    this.#lines.connected(stream);
  }

  get isConnected(): boolean {
    return this.#plugin !== undefined;
  }

  /** Its answer; undefined if there was none in time. */
  request(
    wanted: { prompt: object } | { find: object } | { reply: object },
  ): Promise<PluginAnswer | undefined> {
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

  [Symbol.asyncDispose](): Promise<void> {
    return this.#lines[Symbol.asyncDispose]();
  }

  #serve(socket: Duplex): (line: string) => void {
    // The newest one: OpenCode may load its plugins again.
    this.#plugin?.destroy();
    this.#plugin = socket;
    socket.once('close', () => {
      if (this.#plugin !== socket) return;
      this.#plugin = undefined;
      for (const answer of this.#asked.values()) answer(undefined);
      this.onChange();
    });
    this.onChange();
    return (line) => this.#heard(line);
  }

  #heard(line: string): void {
    const report = parsePluginReport(line);
    if (report?.kind === 'answer') this.#asked.get(report.request)?.(report.answer);
    else if (report) this.onReport(report);
  }
}
