import { type DeliveryState, type DeliveryTrace, RelayError } from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { Presence } from '../directory/presence.ts';
import type { Clock } from '../ports/clock.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { Delivery, DeliveryStore, Observation } from '../ports/store/deliveries.ts';
import type { StoredMessage } from '../ports/store/messages.ts';

/** How many times of acceptance are kept per agent; older ones are thinned out, which only makes them less exact. */
const CHECKPOINTS = 256;

interface Checkpoint {
  upTo: number;
  at: number;
}

/**
 * What became of deliveries. `read` and `acked` go to the store at once; `accepted` is kept in memory until then (a
 * crash may forget it, and the client takes the delivery again): it is one number per agent, because a client takes
 * its deliveries in order.
 */
export class Deliveries {
  readonly #store: DeliveryStore;
  readonly #clock: Clock;
  readonly #agents: Agents;
  readonly #presence: Presence;
  readonly #accepted = new Map<number, Checkpoint[]>();
  /** Where deliveries came in among those an agent had taken: which of them it took cannot be told any more. */
  readonly #unclear = new Map<number, { from: number; to: number }>();

  constructor(store: DeliveryStore, clock: Clock, agents: Agents, presence: Presence) {
    this.#store = store;
    this.#clock = clock;
    this.#agents = agents;
    this.#presence = presence;
  }

  /** A client of the agent has taken everything up to this sequence number. */
  accepted(agent: Agent, upTo: number): void {
    const checkpoints = this.#accepted.get(agent.id) ?? [];
    if (upTo <= (checkpoints.at(-1)?.upTo ?? 0)) return;
    checkpoints.push({ upTo, at: this.#clock.now() });
    // The newest stays: it is the state itself; of the others every second goes.
    const kept = (index: number) => (checkpoints.length - index) % 2 === 1;
    const thinned =
      checkpoints.length > CHECKPOINTS ? checkpoints.filter((_, index) => kept(index)) : checkpoints;
    this.#accepted.set(agent.id, thinned);
  }

  /**
   * Deliveries were put into the store beside the domain, the first of them at `from`. Clients read on from where they
   * are; what is before that is not pushed, because they take their deliveries in order, and waits in the inbox.
   */
  inserted(agentId: number, from: number): void {
    const pushed = [...this.#presence.peersOf(agentId)].map((peer) => peer.catchUp());
    const to = Math.max(this.#accepted.get(agentId)?.at(-1)?.upTo ?? 0, ...pushed);
    if (from > to) return;
    const before = this.#unclear.get(agentId) ?? { from, to };
    this.#unclear.set(agentId, { from: Math.min(from, before.from), to: Math.max(to, before.to) });
  }

  /** An agent is gone for good. */
  forget(agentId: number): void {
    this.#accepted.delete(agentId);
    this.#unclear.delete(agentId);
  }

  /** Records what the recipient itself says of its messages. Messages that were not for it are refused as a whole. */
  async report(
    agent: Agent,
    ids: string[],
    state: Observation['state'],
    path: Observation['path'],
  ): Promise<{ changed: number }> {
    const known = await this.#store.deliveredSeqs(agent.id, ids);
    const missing = ids.find((id) => !known.some((delivered) => delivered.id === id));
    if (missing !== undefined) {
      throw new RelayError(
        'MessageNotFound',
        `No message ${missing} was delivered to ${agent.name}; nothing was marked.`,
      );
    }
    const now = this.#clock.now();
    const observations = known.flatMap(({ seq }): Observation[] => {
      const observed: Observation = { recipientId: agent.id, seq, state, path, at: now };
      const acceptedAt = this.#acceptedAt(agent.id, seq);
      // What was only known in memory so far becomes durable together with what the recipient says now.
      if (acceptedAt === undefined) return [observed];
      return [{ recipientId: agent.id, seq, state: 'accepted', path: 'push', at: acceptedAt }, observed];
    });
    const changed = await this.#store.observe(observations);
    if (changed > 0 && (state === 'read' || state === 'acked')) {
      for (const { id, senderId } of known) {
        this.#presence.tellAgent(senderId, { type: `delivery.${state}`, messageId: id, agent: agent.name });
      }
    }
    return { changed };
  }

  /** The state of every delivery of a message, and why it goes no further. */
  async trace(message: StoredMessage): Promise<DeliveryTrace[]> {
    const deliveries = await this.#store.deliveriesOf(message.seq);
    return deliveries.map((delivery) => this.#describe(message, delivery));
  }

  #describe(message: StoredMessage, delivery: Delivery): DeliveryTrace {
    const takenAt = this.#acceptedAt(delivery.recipientId, message.seq);
    // A client that took later messages did not get this one if it had expired by then.
    const hadExpired = takenAt !== undefined && isExpired(message, takenAt);
    const acceptedAt = delivery.acceptedAt ?? (hadExpired ? undefined : takenAt);
    const times: Array<[DeliveryState, number | undefined]> = [
      ['stored', message.createdAt],
      ['accepted', acceptedAt],
      ['injected', delivery.injectedAt],
      ['turn_started', delivery.turnStartedAt],
      ['read', delivery.readAt],
      ['acked', delivery.ackedAt],
    ];
    const transitions = times.flatMap(([state, at]) => (at === undefined ? [] : [{ state, at }]));
    const state = transitions.at(-1)?.state ?? 'stored';
    const path = delivery.path ?? (acceptedAt === undefined ? undefined : 'push');
    const reason =
      state === 'read' || state === 'acked' ? undefined : this.#reason(message, delivery.recipientId, state);
    return {
      recipient: delivery.recipientName,
      state,
      transitions,
      ...(path === undefined ? {} : { path }),
      ...(reason === undefined ? {} : { reason }),
    };
  }

  #reason(message: StoredMessage, recipientId: number, state: DeliveryState): string {
    if (isExpired(message, this.#clock.now())) return 'expired';
    const recipient = this.#agents.byId(recipientId);
    if (!recipient) return 'the agent was removed';
    if (!this.#presence.isOnline(recipientId)) return 'offline';
    if (state !== 'stored') return 'taken by the client, not read yet';
    const pushed = [...this.#presence.peersOf(recipientId)].some((peer) => peer.delivers);
    return pushed && !this.#isUnclear(recipientId, message.seq)
      ? 'busy: the client has not taken it yet'
      : 'no wake path: waits until the agent looks into its inbox';
  }

  #isUnclear(agentId: number, seq: number): boolean {
    const range = this.#unclear.get(agentId);
    return range !== undefined && range.from <= seq && seq <= range.to;
  }

  #acceptedAt(agentId: number, seq: number): number | undefined {
    if (this.#isUnclear(agentId, seq)) return undefined;
    return this.#accepted.get(agentId)?.find(({ upTo }) => upTo >= seq)?.at;
  }
}

/** As the store sees it: at its last millisecond a message is still delivered. */
const isExpired = ({ expiresAt }: StoredMessage, at: number): boolean =>
  expiresAt !== undefined && expiresAt < at;
