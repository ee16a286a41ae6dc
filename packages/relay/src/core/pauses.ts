import { RelayError } from '@agent-relay/protocol';
import type { Agents } from './agents.ts';
import type { Governor } from './governor.ts';
import type { HeldMessages } from './held.ts';
import type { Messages } from './messages.ts';
import type { Agent, Workspace } from './ports/store.ts';

interface Parts {
  agents: Agents;
  messages: Messages;
  held: HeldMessages;
  governor: Governor;
}

/** What surrounds a held message: those in the exchange are told, and a person lets it go on. */
export class Pauses {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.messages.onPaused = (workspace, agents, reason) => this.#explain(workspace, agents, reason);
  }

  async release(
    workspace: Workspace,
    ids: string[],
    discard: boolean,
  ): Promise<{ released: number; discarded: number }> {
    const { agents, governor, held, messages } = this.#parts;
    const wanted = (await held.list(workspace)).filter(({ id }) => ids.includes(id));
    const [first] = ids;
    if (wanted.length === 0) {
      throw new RelayError('MessageNotFound', `No message ${first} is held.`, {
        next: 'List those that are with: agent-relay held list',
      });
    }
    let released = 0;
    for (const one of wanted) {
      const sender = discard ? undefined : agents.byId(one.draft.senderId);
      if (sender) {
        governor.release(sender.id);
        // Stored before it is taken out: a crash in between repeats it under the same id, and nothing is lost.
        await messages.release(one.draft, sender, one.shown);
        released += 1;
      }
      await held.take(one);
    }
    return { released, discarded: wanted.length - released };
  }

  async #explain(workspace: Workspace, agents: Agent[], reason: string): Promise<void> {
    const relay = await this.#parts.agents.system(workspace);
    const text = `Your exchange is paused: ${reason}. What you say in it waits until a person releases it with: agent-relay held release. Elsewhere you are heard when you say something new.`;
    for (const agent of agents) await this.#parts.messages.announce(relay, agent, text);
  }
}
