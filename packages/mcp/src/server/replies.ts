import type { RequestId, ServerContext } from '@modelcontextprotocol/server';
import type { Replies } from './client-context.ts';

type AfterReply = (written: boolean) => Promise<void>;

/** Actions deferred until replies are written, for a transport that reports each written reply. */
export class PendingReplies implements Replies {
  readonly #onfailed: (error: unknown) => void;
  readonly #waiting = new Map<RequestId, AfterReply[]>();
  readonly #running = new Set<Promise<void>>();
  #ended = false;

  constructor(onfailed: (error: unknown) => void) {
    this.#onfailed = onfailed;
  }

  after(mcp: ServerContext, action: AfterReply): void {
    const { id, signal } = mcp.mcpReq;
    this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), action]);
    // A cancelled request gets no reply, and neither does a disconnected client.
    if (signal.aborted || this.#ended) this.settle(id, false);
    else signal.addEventListener('abort', () => this.settle(id, false), { once: true });
  }

  /** The reply to this request was written, or never will be. */
  settle(id: RequestId, written: boolean): void {
    const actions = this.#waiting.get(id) ?? [];
    this.#waiting.delete(id);
    for (const action of actions) this.#run(action, written);
  }

  /** No more replies will be written; resolves when all deferred actions are done. */
  async end(): Promise<void> {
    this.#ended = true;
    for (const id of [...this.#waiting.keys()]) this.settle(id, false);
    await Promise.all(this.#running);
  }

  #run(action: AfterReply, written: boolean): void {
    const done: Promise<void> = action(written)
      .catch(this.#onfailed)
      .finally(() => this.#running.delete(done));
    this.#running.add(done);
  }
}
