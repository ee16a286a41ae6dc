import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Replies } from '../server/desk.ts';

type AfterReply = (written: boolean) => Promise<void>;

/** Over HTTP a reply is written when the response to its request is. */
export class HttpReplies implements Replies {
  readonly #onfailed: (error: unknown) => void;
  readonly #current = new AsyncLocalStorage<AfterReply[]>();

  constructor(onfailed: (error: unknown) => void) {
    this.#onfailed = onfailed;
  }

  /** Serves a request; what its handlers leave to be done is done when the response is out. */
  serve(response: ServerResponse, serving: () => Promise<void>): Promise<void> {
    const actions: AfterReply[] = [];
    response.once('close', () => {
      for (const action of actions) action(response.writableFinished).catch(this.#onfailed);
    });
    return this.#current.run(actions, serving);
  }

  after(_mcp: ServerContext, action: AfterReply): void {
    this.#current.getStore()?.push(action);
  }
}
