import { RelayError } from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { HeldSettlement } from '../ports/store/held.ts';
import { actorName, type Principal } from '../principal.ts';
import type { Messages } from '../sending/messages.ts';
import type { Governor } from './governor.ts';
import type { HeldMessages } from './held.ts';

/** The ids of the messages that were settled, by outcome. */
type Settled = Record<HeldSettlement['outcome'], string[]>;

/** A person's decisions about held messages: each is delivered or discarded. */
export class HeldReleases {
  readonly #agents: Agents;
  readonly #messages: Messages;
  readonly #held: HeldMessages;
  readonly #governor: Governor;
  /** Serialized, so that no message is both delivered and discarded. */
  #lastDecision: Promise<unknown> = Promise.resolve();

  constructor(agents: Agents, messages: Messages, held: HeldMessages, governor: Governor) {
    this.#agents = agents;
    this.#messages = messages;
    this.#held = held;
    this.#governor = governor;
  }

  /** Delivers the held messages among `ids`. A message whose sender was removed is discarded. */
  release(by: Principal, ids: string[]): Promise<Settled> {
    return this.#decide(() => this.#settle(by, ids, 'released'));
  }

  /** Discards the held messages among `ids`. */
  discard(by: Principal, ids: string[]): Promise<Settled> {
    return this.#decide(() => this.#settle(by, ids, 'discarded'));
  }

  #decide(decision: () => Promise<Settled>): Promise<Settled> {
    const decided = this.#lastDecision.then(decision);
    this.#lastDecision = decided.catch(() => undefined);
    return decided;
  }

  async #settle(by: Principal, ids: string[], wanted: HeldSettlement['outcome']): Promise<Settled> {
    const waiting = (await this.#held.list(by.workspace)).filter(({ id }) => ids.includes(id));
    const [first] = ids;
    if (waiting.length === 0) {
      throw new RelayError('MessageNotFound', `No message ${first} is held.`, {
        next: 'List held messages with: agent-relay held list',
      });
    }
    const settled: Settled = { released: [], discarded: [] };
    for (const held of waiting) {
      const sender = wanted === 'released' ? this.#agents.byId(held.draft.senderId) : undefined;
      const outcome = sender || (await this.#held.wasDelivered(held)) ? 'released' : 'discarded';
      if (sender) {
        this.#governor.release(sender.id);
        // Stored before it is settled: a crash in between repeats it under the same id, and nothing is lost.
        await this.#messages.release(held, sender);
      }
      await this.#held.settle(held, outcome, actorName(by));
      settled[outcome].push(held.id);
    }
    return settled;
  }
}
