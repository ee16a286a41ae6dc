import {
  type DeliveryPath,
  type DeliveryState,
  type DeliveryTrace,
  type PathInfo,
  type Reason,
  RelayError,
  reason,
} from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { Presence } from '../directory/presence.ts';
import type { Clock } from '../ports/clock.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { Delivery, DeliveryStore, Observation } from '../ports/store/deliveries.ts';
import type { StoredMessage } from '../ports/store/messages.ts';
import type { AcceptedDeliveries } from './accepted.ts';
import type { Claims } from './claims.ts';
import type { HookedAgents } from './hooked-agents.ts';
import type { Mailboxes } from './mailboxes.ts';
import { workingPath } from './receiver.ts';
import type { Waiters } from './waiters.ts';

interface Parts {
  store: DeliveryStore;
  clock: Clock;
  agents: Agents;
  presence: Presence;
  mailboxes: Mailboxes;
  hooked: HookedAgents;
  claims: Claims;
  accepted: AcceptedDeliveries;
  waiters: Waiters;
}

/** The status of deliveries: recorded for recipients, shown to others. */
export class Deliveries {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Records what the recipient reports on its messages. If one was not for it, all are refused. */
  async report(
    agent: Agent,
    ids: string[],
    state: 'read' | 'acked',
    path: DeliveryPath | undefined,
  ): Promise<{ changed: number }> {
    const { store, clock, presence, claims, accepted } = this.#parts;
    const known = await store.deliveredSeqs(agent.id, ids);
    const missing = ids.find((id) => !known.some((delivered) => delivered.id === id));
    if (missing !== undefined) {
      throw new RelayError(
        'MessageNotFound',
        `No message ${missing} was delivered to ${agent.name}; nothing was marked.`,
      );
    }
    const now = clock.now();
    const observations = known.flatMap(({ seq }): Observation[] => {
      const observed: Observation = { recipientId: agent.id, seq, state, path, at: now };
      const acceptedAt = accepted.at(agent.id, seq);
      // What was only in memory so far is stored together with this report.
      if (acceptedAt === undefined) return [observed];
      return [{ recipientId: agent.id, seq, state: 'accepted', path: 'push', at: acceptedAt }, observed];
    });
    const changed = await store.observe(observations);
    claims.read(
      agent.id,
      known.map(({ seq }) => seq),
    );
    if (changed > 0) {
      for (const { id, senderId, createdAt } of known) {
        const afterMs = now - createdAt;
        const event = { type: `delivery.${state}`, messageId: id, agent: agent.name, afterMs } as const;
        const told = path === undefined ? event : { ...event, path };
        presence.tellAgent(senderId, told);
        presence.tellOwner(agent.workspaceId, told);
      }
    }
    return { changed };
  }

  /** What wakes an agent for a new message, best first. */
  pathsOf(agentId: number): PathInfo[] {
    const { mailboxes, hooked, waiters } = this.#parts;
    const paths = mailboxes.of(agentId)?.describe() ?? [];
    const hook = paths.length === 0 ? hooked.describe(agentId) : undefined;
    if (hook) paths.push(hook);
    const waiter = waiters.describe(agentId);
    return waiter ? [...paths, { ...waiter, inUse: !paths.some(({ inUse }) => inUse) }] : paths;
  }

  /** The state of every delivery of a message, and what it is waiting for. */
  async trace(message: StoredMessage): Promise<DeliveryTrace[]> {
    const deliveries = await this.#parts.store.deliveriesOf(message.seq);
    return deliveries.map((delivery) => this.#describe(message, delivery));
  }

  #describe(message: StoredMessage, delivery: Delivery): DeliveryTrace {
    const acceptedAt = this.#acceptedAt(message, delivery);
    const { path, readPath } = delivery;
    const times: Array<[DeliveryState, number | undefined, DeliveryPath | undefined]> = [
      ['stored', message.createdAt, undefined],
      ['accepted', acceptedAt, path ?? 'push'],
      ['uncertain', delivery.uncertainAt, path],
      ['injected', delivery.injectedAt, path],
      ['turn_started', delivery.turnStartedAt, path],
      ['read', delivery.readAt, readPath],
      ['acked', delivery.ackedAt, readPath],
    ];
    const transitions = times.flatMap(([state, at, by]) =>
      at === undefined ? [] : [{ state, at, ...(by === undefined ? {} : { path: by }) }],
    );
    const last = transitions.at(-1);
    const { state, why } = this.#standing(message, delivery, last?.state ?? 'stored');
    const isWaiting = state === 'stored' && why !== undefined;
    const receiver = isWaiting ? this.#parts.mailboxes.of(delivery.recipientId)?.inUse : undefined;
    const way = last?.path ?? path ?? (receiver && workingPath(receiver));
    return {
      recipient: delivery.recipientName,
      state,
      transitions,
      ...(way === undefined ? {} : { path: way }),
      ...(why === undefined ? {} : { reason: why }),
    };
  }

  /** When it was accepted; never after it was read, and not if it had expired when later ones were accepted. */
  #acceptedAt(message: StoredMessage, { acceptedAt, readAt, recipientId }: Delivery): number | undefined {
    const takenAt = acceptedAt ?? this.#parts.accepted.at(recipientId, message.seq);
    if (takenAt === undefined || takenAt > (readAt ?? takenAt)) return undefined;
    return acceptedAt === undefined && isExpired(message, takenAt) ? undefined : takenAt;
  }

  /** Its current state, and what it is waiting for. */
  #standing(
    message: StoredMessage,
    { recipientId, claimedBy, uncertainAt }: Delivery,
    state: DeliveryState,
  ): { state: DeliveryState; why?: Reason } {
    const isOn = state !== 'stored' && state !== 'accepted' && state !== 'uncertain';
    if (isOn) return { state };
    const { clock, agents, presence, mailboxes } = this.#parts;
    if (uncertainAt !== undefined) return { state: 'uncertain', why: reason('unconfirmed') };
    if (claimedBy !== undefined) {
      return mailboxes.of(recipientId)?.has(claimedBy)
        ? { state, why: reason('claimed') }
        : { state: 'uncertain', why: reason('path_gone') };
    }
    if (isExpired(message, clock.now())) return { state, why: reason('expired') };
    if (!agents.byId(recipientId)) return { state, why: reason('removed') };
    if (!presence.isOnline(recipientId)) return { state, why: reason('offline') };
    if (state === 'accepted') return { state, why: reason('not_read') };
    return { state, why: this.#whyWaiting(recipientId, message.seq) };
  }

  #whyWaiting(recipientId: number, seq: number): Reason {
    const mailbox = this.#parts.mailboxes.of(recipientId);
    const isUnclear = this.#parts.accepted.isUnclear(recipientId, seq);
    if (isUnclear) return reason('no_wake_path');
    if (!mailbox?.inUse) return this.#parts.hooked.reasonFor(recipientId) ?? reason('no_wake_path');
    if (mailbox.isRefused(seq)) return reason('refused');
    const path = workingPath(mailbox.inUse);
    return (path && mailbox.inUse.statusOf(path).reason) ?? reason('not_taken');
  }
}

/** As in the store: a message is still delivered in its last millisecond. */
const isExpired = ({ expiresAt }: StoredMessage, at: number): boolean =>
  expiresAt !== undefined && expiresAt < at;
