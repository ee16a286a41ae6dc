import { type HeldInfo, RelayError } from '@agent-relay/protocol';
import type { Agents } from './agents.ts';
import type { Governor } from './governor.ts';
import type { Held, Messages } from './messages.ts';
import type { Clock } from './ports/clock.ts';
import type { HeldMessage } from './ports/messaging-store.ts';
import type { Agent, Store, Workspace } from './ports/store.ts';
import type { Presence } from './presence.ts';

/** Messages the loop governor keeps back: durable, visible, and released or let go by a person. */
export class HeldMessages {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #agents: Agents;
  readonly #presence: Presence;
  readonly #messages: Messages;
  readonly #governor: Governor;

  constructor(parts: {
    store: Store;
    clock: Clock;
    agents: Agents;
    presence: Presence;
    messages: Messages;
    governor: Governor;
  }) {
    this.#store = parts.store;
    this.#clock = parts.clock;
    this.#agents = parts.agents;
    this.#presence = parts.presence;
    this.#messages = parts.messages;
    this.#governor = parts.governor;
    parts.messages.onHeld = (held) => this.#hold(held);
  }

  async list(workspace: Workspace): Promise<HeldInfo[]> {
    return (await this.#store.listHeld(workspace.id)).map(describeHeld);
  }

  async find(workspace: Workspace, id: string): Promise<HeldMessage | undefined> {
    return (await this.#store.listHeld(workspace.id)).find((held) => held.id === id);
  }

  async release(
    workspace: Workspace,
    ids: string[],
    discard: boolean,
  ): Promise<{ released: number; discarded: number }> {
    const wanted = (await this.#store.listHeld(workspace.id)).filter(({ id }) => ids.includes(id));
    const missing = ids.find((id) => !wanted.some((held) => held.id === id));
    if (missing !== undefined && wanted.length === 0)
      throw new RelayError('MessageNotFound', `No held message ${missing}.`);
    let released = 0;
    for (const { id, draft, shown } of wanted) {
      const sender = discard ? undefined : this.#agents.byId(draft.senderId);
      if (sender) {
        this.#governor.release(sender.id);
        // Stored before it is taken out: a crash in between repeats it under the same id, and nothing is lost.
        await this.#messages.release(draft, sender, shown);
        released += 1;
      }
      await this.#store.takeHeld(workspace.id, [id]);
    }
    return { released, discarded: wanted.length - released };
  }

  async #hold({ draft, sender, route, reason, first }: Held): Promise<void> {
    const shown = {
      to: route.to,
      ...(route.channel === undefined ? {} : { channel: route.channel }),
      ...(route.group === undefined ? {} : { group: route.group }),
    };
    await this.#store.holdMessage({
      id: draft.id,
      workspaceId: draft.workspaceId,
      senderName: sender.name,
      reason,
      heldAt: this.#clock.now(),
      draft,
      shown,
    });
    this.#presence.tell(draft.workspaceId, {
      type: 'message.held',
      messageId: draft.id,
      from: sender.name,
      to: route.to,
      reason,
    });
    if (first)
      await this.#explain(route.workspace, [sender, ...(route.recipient ? [route.recipient] : [])], reason);
  }

  async #explain(workspace: Workspace, agents: Agent[], reason: string): Promise<void> {
    const relay = await this.#agents.system(workspace);
    const text = `Your exchange is paused: ${reason}. Stop answering unless you have something new; a person can release it with: agent-relay held release`;
    for (const agent of agents) await this.#messages.announce(relay, agent, text);
  }
}

export const describeHeld = ({ id, senderName, shown, reason, heldAt, draft }: HeldMessage): HeldInfo => ({
  id,
  from: senderName,
  ...(draft.unverified ? { unverified: true } : {}),
  to: shown.to,
  content: draft.body,
  reason,
  heldAt,
});
