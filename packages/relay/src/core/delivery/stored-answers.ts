import type { MessageStore } from '../ports/store/messages.ts';
import type { Descriptions } from '../reading/descriptions.ts';
import type { Awaits, OpenAwait } from './awaits.ts';

/** Questions asked again after a lost connection: their answers may already be stored. */
export class StoredAnswers {
  readonly #store: MessageStore;
  readonly #awaits: Awaits;
  readonly #descriptions: Descriptions;
  /** The last search for each waiter. Serialized, so that the first question gets the first answer. */
  readonly #searches = new Map<number, Promise<void>>();

  constructor(store: MessageStore, awaits: Awaits, descriptions: Descriptions) {
    this.#store = store;
    this.#awaits = awaits;
    this.#descriptions = descriptions;
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
    const { waiter, target, message: question } = asked;
    const find = (after: number) =>
      this.#store.findReply({ senderId: target.id, recipientId: waiter.id, after, question });
    // A message that just answered another question of this waiter must not be found again.
    await this.#awaits.noted(waiter.id);
    let reply = await find(question.seq);
    while (reply && !this.#awaits.answerWith(asked, this.#descriptions.stored(reply)))
      reply = await find(reply.seq);
  }
}
