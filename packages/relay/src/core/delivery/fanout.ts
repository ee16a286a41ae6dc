import type { Message } from '@agent-relay/protocol';
import type { Connections } from '../directory/connections.ts';
import type { NewMessage } from '../ports/bus.ts';
import type { AcceptedDeliveries } from './accepted.ts';
import type { Awaits } from './awaits.ts';
import type { Mailboxes } from './mailboxes.ts';
import type { StoredOrder } from './stored-order.ts';
import type { Waiters } from './waiters.ts';

/** Follows every message of a workspace. Must not block. */
interface Follower {
  /** A newly stored message, or one whose news came late. */
  offer(message: Message): void;
  /** Messages were stored without being offered: read them from the store. */
  catchUp(): void;
}

interface Parts {
  connections: Connections;
  awaits: Awaits;
  waiters: Waiters;
  mailboxes: Mailboxes;
  accepted: AcceptedDeliveries;
  order: StoredOrder;
}

/** Passes each stored message to local recipients, followers, and the sender who waits for it. */
export class Fanout {
  readonly #parts: Parts;
  readonly #followers = new Map<number, Set<Follower>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Notifies `follower` of each message stored in the workspace from now on; returns how to stop. */
  follow(workspaceId: number, follower: Follower): () => void {
    const followers = this.#followers.get(workspaceId) ?? new Set();
    this.#followers.set(workspaceId, followers.add(follower));
    return () => followers.delete(follower);
  }

  stored({ message, senderId, recipients, workspaceId }: NewMessage): void {
    const { connections, awaits, waiters, mailboxes, order } = this.#parts;
    order.heard(message.seq);
    for (const recipient of recipients) {
      // The waiting sender gets the answer first: its client then recognizes the delivery that follows.
      awaits.answer(message, senderId, recipient);
      mailboxes.offer(recipient, message);
      for (const peer of connections.of(recipient))
        if (peer.isToldOfMail) peer.notify({ type: 'mail.arrived', message });
      waiters.arrived(recipient, message);
    }
    for (const follower of this.#followers.get(workspaceId) ?? []) follower.offer(message);
  }

  /** Messages were written to the workspace directly, with deliveries from these numbers on. */
  inserted(workspaceId: number, delivered: ReadonlyArray<{ recipientId: number; from: number }>): void {
    for (const { recipientId, from } of delivered) {
      const mailbox = this.#parts.mailboxes.of(recipientId);
      this.#parts.accepted.inserted(recipientId, from, mailbox?.withPrograms ?? 0);
      mailbox?.catchUp();
    }
    for (const follower of this.#followers.get(workspaceId) ?? []) follower.catchUp();
  }
}
