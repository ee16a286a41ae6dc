import type { ReasonInput } from '@agent-relay/protocol';
import type { Reading } from '../clis/reading.ts';
import { LineServer } from '../sockets/line-server.ts';

/** A CLI has listed the tools of the relay's MCP server within this time, or does without them. */
const TOOLS_MS = 30_000;
/** More than the MCP server writes. */
const MOST_BYTES = 1024;

/**
 * Holds the first message until the CLI has the relay's tools, which its MCP server reports here: a model that begins
 * without them may never get them.
 */
export class AwaitedTools implements AsyncDisposable {
  readonly socketPath: string;
  readonly #lines = new LineServer(MOST_BYTES, () => () => this.#end());
  #isAwaiting = true;
  #timer: NodeJS.Timeout | undefined;
  /** Called when the hold ends by itself. */
  onChange: () => void = () => undefined;

  private constructor(socketPath: string) {
    this.socketPath = socketPath;
  }

  /** The socket must be in a directory private to this user. */
  static async listen(socketPath: string): Promise<AwaitedTools> {
    const tools = new AwaitedTools(socketPath);
    await tools.#lines.listen(socketPath);
    return tools;
  }

  /** Why no message should be delivered by any path while this is on the screen. */
  hold(reading: Reading): ReasonInput | undefined {
    if (!this.#isAwaiting) return undefined;
    if (reading.state === 'composer' && reading.busy) {
      // A turn takes place, with the tools or without.
      this.#stop();
      return undefined;
    }
    if (reading.state === 'starting') {
      // It lists the tools after the questions at its start.
      clearTimeout(this.#timer);
      this.#timer = undefined;
    } else this.#timer ??= setTimeout(() => this.#end(), TOOLS_MS);
    return { code: 'starting' };
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#stop();
    return this.#lines[Symbol.asyncDispose]();
  }

  #end(): void {
    this.#stop();
    this.onChange();
  }

  #stop(): void {
    this.#isAwaiting = false;
    clearTimeout(this.#timer);
  }
}
