import type { Message } from '@agent-relay/protocol';
import type { AcceptedDeliveries } from './accepted.ts';
import { Mailbox } from './mailbox.ts';
import type { Receiver } from './receiver.ts';

/** The mailboxes of connected agents. In memory: agents reconnect after a restart. */
export class Mailboxes {
  readonly #byAgent = new Map<number, Mailbox>();
  readonly #accepted: AcceptedDeliveries;

  constructor(accepted: AcceptedDeliveries) {
    this.#accepted = accepted;
  }

  of(agentId: number): Mailbox | undefined {
    return this.#byAgent.get(agentId);
  }

  add(agentId: number, receiver: Receiver): void {
    let mailbox = this.#byAgent.get(agentId);
    if (!mailbox) {
      mailbox = new Mailbox(agentId, this.#accepted);
      this.#byAgent.set(agentId, mailbox);
    }
    mailbox.add(receiver);
  }

  /** False if it was already gone. */
  remove(agentId: number, receiver: Receiver): boolean {
    const mailbox = this.#byAgent.get(agentId);
    const wasThere = mailbox?.remove(receiver) ?? false;
    if (mailbox?.isEmpty) this.#byAgent.delete(agentId);
    return wasThere;
  }

  offer(agentId: number, message: Message): void {
    this.#byAgent.get(agentId)?.offer(message);
  }

  /** The receivers whose claims are in progress. */
  live(agentId: number): string[] {
    return this.#byAgent.get(agentId)?.receivers.map(({ id }) => id) ?? [];
  }
}
