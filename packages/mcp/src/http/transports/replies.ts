import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Replies } from '../../server/client-context.ts';

/** Called when a reply has ended, with whether it was written completely. */
export type AfterReply = (written: boolean) => Promise<void>;

/** Over HTTP a reply is written once the response to its request is. */
export class HttpReplies implements Replies {
  readonly #onfailed: (error: unknown) => void;
  readonly #current = new AsyncLocalStorage<(action: AfterReply) => void>();

  constructor(onfailed: (error: unknown) => void) {
    this.#onfailed = onfailed;
  }

  /** Serves a request, then runs what its handlers deferred until the response was written. */
  serve(response: ServerResponse, serving: () => Promise<void>): Promise<void> {
    const actions: AfterReply[] = [];
    let isOver = false;
    const run = (action: AfterReply) => action(response.writableFinished).catch(this.#onfailed);
    response.once('close', () => {
      isOver = true;
      for (const action of actions) void run(action);
    });
    // A handler may still run after its client has disconnected.
    const later = (action: AfterReply) => (isOver ? void run(action) : void actions.push(action));
    return this.#current.run(later, serving);
  }

  after(_mcp: ServerContext, action: AfterReply): void {
    // A gateway also asks by itself, when the tools have changed: then there is no response.
    if (this.#current.getStore()) this.afterCurrent(action);
    else setImmediate(() => action(false).catch(this.#onfailed));
  }

  /** The same, for the request that is being served. */
  readonly afterCurrent = (action: AfterReply): void => {
    const later = this.#current.getStore();
    if (!later) throw new TypeError('Only a request that is being served has a reply.');
    later(action);
  };
}
