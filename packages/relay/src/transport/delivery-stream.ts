import { encodeEnvelope, type Message } from '@agent-relay/protocol';
import { Feed } from '../core/delivery/feed.ts';
import { mayHaveMore } from '../core/reading/page.ts';
import type { Relay } from '../core/relay.ts';
import { type Connection, Outgoing } from './connection.ts';
import { HIGH_WATER_BYTES } from './limits.ts';

/** Deliveries pushed and not yet taken by the client. */
const WINDOW = 256;

/** Pushes one agent's deliveries over one connection, no faster than the client takes them. */
export class DeliveryStream {
  readonly #feed: Feed<Message>;
  /** Sequence numbers pushed and not yet taken, oldest first. */
  #inFlight: number[] = [];
  #lastPushed: number;

  constructor(
    relay: Relay,
    connection: Connection,
    from: { recipientId: number; after: number },
    on: { pushed(): void; failed(error: unknown): void },
  ) {
    const { recipientId, after } = from;
    this.#lastPushed = after;
    this.#feed = new Feed<Message>(
      {
        read: async (cursor, limit) => {
          const now = relay.clock.now();
          const query = { recipientId, unreadOnly: true, after: cursor, limit, now, take: 'oldest' } as const;
          const stored = await relay.store.inbox(query);
          return { items: stored.map(relay.descriptions.stored), more: mayHaveMore(stored, limit) };
        },
        push: (message) => {
          this.#inFlight.push(message.seq);
          this.#lastPushed = message.seq;
          on.pushed();
          connection.send(deliverEnvelope(message));
        },
        ready: () => this.#inFlight.length < WINDOW && connection.bufferedBytes < HIGH_WATER_BYTES,
        failed: on.failed,
      },
      after,
    );
  }

  offer(message: Message): void {
    this.#feed.offer(message);
  }

  /** Reads what was stored without being offered; returns up to where it was pushed until now. */
  catchUp(): number {
    this.#feed.catchUp();
    return this.#lastPushed;
  }

  resume(): void {
    this.#feed.resume();
  }

  close(): void {
    this.#feed.close();
  }

  /** The client says it has taken everything up to `upTo`; returns up to where it was really pushed. */
  accepted(upTo: number): number {
    const taken = Math.min(upTo, this.#lastPushed);
    const left = this.#inFlight.findIndex((seq) => seq > taken);
    if (left === -1) this.#inFlight = [];
    else if (left > 0) this.#inFlight.splice(0, left);
    this.#feed.resume();
    return taken;
  }
}

let lastDelivered: { message: Message; outgoing: Outgoing } | undefined;

/** A message goes to all its receivers one after the other: its envelope is made for the first and kept for the rest. */
function deliverEnvelope(message: Message): Outgoing {
  if (lastDelivered?.message !== message) {
    const outgoing = new Outgoing(encodeEnvelope('DELIVER', message.id, message.ts, message));
    lastDelivered = { message, outgoing };
  }
  return lastDelivered.outgoing;
}
