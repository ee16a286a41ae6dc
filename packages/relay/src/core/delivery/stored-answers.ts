import type { Store } from '../ports/store.ts';
import type { Descriptions } from '../reading/descriptions.ts';
import type { Awaits, OpenAwait } from './awaits.ts';

interface Parts {
  awaits: Awaits;
  descriptions: Descriptions;
  store: Store;
}

/** Questions asked again after a lost connection: their answers may be stored already. */
export class StoredAnswers {
  readonly #parts: Parts;
  /** The last search for each waiter. One follows the other, so that the first question gets the first answer. */
  readonly #searches = new Map<number, Promise<void>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async search(asked: OpenAwait): Promise<void> {
    const waiterId = asked.waiter.id;
    const before = this.#searches.get(waiterId) ?? Promise.resolve();
    const search = before.catch(() => undefined).then(() => this.#search(asked));
    this.#searches.set(waiterId, search);
    try {
      await search;
    } finally {
      if (this.#searches.get(waiterId) === search) this.#searches.delete(waiterId);
    }
  }

  async #search(asked: OpenAwait): Promise<void> {
    const { awaits, descriptions, store } = this.#parts;
    const { waiter, target, message: question } = asked;
    const find = (after: number) =>
      store.findReply({ senderId: target.id, recipientId: waiter.id, after, question });
    let reply = await find(question.seq);
    while (reply && !awaits.answerWith(asked, descriptions.stored(reply))) reply = await find(reply.seq);
  }
}
