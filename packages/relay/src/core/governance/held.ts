import type { HeldInfo, HoldTrace } from '@agent-relay/protocol';
import type { Presence } from '../directory/presence.ts';
import type { Clock } from '../ports/clock.ts';
import type { HeldMessage, HeldSettlement } from '../ports/store/held.ts';
import type { Appended, MessageDraft } from '../ports/store/messages.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import type { Store } from '../ports/store.ts';
import type { DraftedSubmission } from '../sending/submission.ts';

/** A message is held, or was already stored. */
export type HoldOutcome = HeldMessage | Appended;

/** Identifies a message for retries. */
type MessageName = Pick<MessageDraft, 'senderId' | 'clientId'>;

/** Messages held by the loop governor: durable, visible, and kept until a person decides. */
export class HeldMessages {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #presence: Presence;
  /** All of them by retry key: sender and client id. */
  readonly #byName = new Map<string, { workspaceId: number; outcome: Promise<HoldOutcome> }>();

  constructor(store: Store, clock: Clock, presence: Presence) {
    this.#store = store;
    this.#clock = clock;
    this.#presence = presence;
  }

  async load({ id: workspaceId }: Workspace): Promise<void> {
    for (const held of await this.#store.listHeld(workspaceId))
      this.#byName.set(nameOf(held.draft), { workspaceId, outcome: Promise.resolve(held) });
  }

  /** Drops all of a workspace that is being removed. */
  forgetAll({ id }: Workspace): void {
    for (const [name, { workspaceId }] of this.#byName) if (workspaceId === id) this.#byName.delete(name);
  }

  /** The waiting ones. */
  list(workspace: Workspace): Promise<HeldMessage[]> {
    return this.#store.listHeld(workspace.id);
  }

  /** A held message, waiting or settled. */
  find(id: string): Promise<HeldMessage | undefined> {
    return this.#store.findHeld(id);
  }

  /** The held message that this draft repeats, if any. */
  repeatedBy(draft: MessageName): Promise<HoldOutcome> | undefined {
    return this.#byName.get(nameOf(draft))?.outcome;
  }

  async hold(submission: DraftedSubmission, reason: string): Promise<HoldOutcome> {
    const { draft } = submission;
    const name = nameOf(draft);
    const holding = this.#hold(submission, reason);
    this.#byName.set(name, { workspaceId: draft.workspaceId, outcome: holding });
    try {
      const outcome = await holding;
      if (wasStored(outcome)) this.#byName.delete(name);
      return outcome;
    } catch (error) {
      this.#byName.delete(name);
      throw error;
    }
  }

  /** Whether a waiting message was already delivered: a crash between the two steps of its release. */
  wasDelivered({ draft }: HeldMessage): Promise<boolean> {
    return this.#store.hasSent(draft.senderId, draft.clientId);
  }

  /** Settles a message: it was delivered, or nobody will get it. */
  async settle({ id, draft }: HeldMessage, outcome: HeldSettlement['outcome'], by: string): Promise<void> {
    await this.#store.settleHeld(id, { outcome, by, at: this.#clock.now() });
    this.#byName.delete(nameOf(draft));
  }

  async #hold({ draft, sender, route }: DraftedSubmission, reason: string): Promise<HoldOutcome> {
    const held: HeldMessage = {
      id: draft.id,
      workspaceId: draft.workspaceId,
      senderName: sender.name,
      reason,
      heldAt: this.#clock.now(),
      draft,
      shown: {
        to: route.to,
        ...(route.channel === undefined ? {} : { channel: route.channel }),
        ...(route.group === undefined ? {} : { group: route.group }),
      },
    };
    const stored = await this.#store.holdMessage(held);
    if (stored) return stored;
    const event = {
      type: 'message.held',
      messageId: draft.id,
      from: sender.name,
      to: route.to,
      reason,
    } as const;
    this.#presence.tellOwner(draft.workspaceId, event);
    this.#presence.tellAgent(sender.id, event);
    return held;
  }
}

export const wasStored = (outcome: HoldOutcome): outcome is Appended => 'seq' in outcome;

export const heldInfo = ({ id, senderName, shown, reason, heldAt, draft }: HeldMessage): HeldInfo => ({
  id,
  from: senderName,
  ...(draft.unverified ? { unverified: true } : {}),
  to: shown.to,
  content: draft.body,
  reason,
  heldAt,
});

export const holdTrace = ({ reason, heldAt, settled }: HeldMessage): HoldTrace => ({
  reason,
  heldAt,
  ...(settled === undefined ? {} : { settled }),
});

const nameOf = ({ senderId, clientId }: MessageName): string => `${senderId} ${clientId}`;
