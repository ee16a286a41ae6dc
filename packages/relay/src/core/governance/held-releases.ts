import { RelayError } from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import { actorName, type Principal } from '../principal.ts';
import type { Messages } from '../sending/messages.ts';
import type { Governor } from './governor.ts';
import type { HeldMessages } from './held.ts';

interface Parts {
  agents: Agents;
  messages: Messages;
  held: HeldMessages;
  governor: Governor;
}

/** The ids of the messages that were delivered, and of those that were let go. */
interface Decided {
  released: string[];
  discarded: string[];
}

/** What surrounds a held message: those in the exchange are told, and a person lets it go on. */
export class HeldReleases {
  readonly #parts: Parts;
  /** One decision after the other: nothing is both delivered and let go. */
  #deciding: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.messages.onPaused = (workspace, agents, reason) => this.#explain(workspace, agents, reason);
  }

  /** Delivers those that are held among `ids`, or lets them go; a message whose sender was removed goes in any case. */
  release(by: Principal, ids: string[], discard: boolean): Promise<Decided> {
    const decided = this.#deciding.then(() => this.#release(by, ids, discard));
    this.#deciding = decided.catch(() => undefined);
    return decided;
  }

  async #release(by: Principal, ids: string[], discard: boolean): Promise<Decided> {
    const { agents, governor, held, messages } = this.#parts;
    const wanted = (await held.list(by.workspace)).filter(({ id }) => ids.includes(id));
    const [first] = ids;
    if (wanted.length === 0) {
      throw new RelayError('MessageNotFound', `No message ${first} is held.`, {
        next: 'List those that are with: agent-relay held list',
      });
    }
    const decided: Decided = { released: [], discarded: [] };
    for (const one of wanted) {
      const sender = discard ? undefined : agents.byId(one.draft.senderId);
      const outcome = sender || (await held.wasDelivered(one)) ? 'released' : 'discarded';
      if (sender) {
        governor.release(sender.id);
        // Stored before it is settled: a crash in between repeats it under the same id, and nothing is lost.
        await messages.release(one.draft, sender, one.shown);
      }
      await held.settle(one, outcome, actorName(by));
      decided[outcome].push(one.id);
    }
    return decided;
  }

  async #explain(workspace: Workspace, agents: Agent[], reason: string): Promise<void> {
    const relay = await this.#parts.agents.system(workspace);
    const text = `Your exchange is paused: ${reason}. What you say in it waits until a person releases it with: agent-relay held release. Elsewhere you are heard when you say something new.`;
    for (const agent of agents) await this.#parts.messages.announce(relay, agent, text);
  }
}
