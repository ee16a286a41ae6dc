import {
  type ClaimingPath,
  type DeliveryEvent,
  type OperationParams,
  type Reason,
  type ReasonInput,
  RelayError,
  reason,
} from '@agent-relay/protocol';
import type { Presence } from '../directory/presence.ts';
import type { Clock } from '../ports/clock.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { DeliveryStore, Observation } from '../ports/store/deliveries.ts';
import type { StoredMessage } from '../ports/store/messages.ts';
import { mayHaveMore, page } from '../reading/page.ts';
import { ClaimingReceiver } from './claiming-receiver.ts';
import { KeyedQueue } from './keyed-queue.ts';
import type { Mailboxes } from './mailboxes.ts';
import type { Receiver } from './receiver.ts';

type Known = { id: string; seq: number; senderId: number; createdAt: number };
type MessageReport = Extract<OperationParams<'REPORT'>, { messages: string[] }>;
type PathReport = Exclude<OperationParams<'REPORT'>, { messages: string[] }>;

interface Parts {
  store: DeliveryStore;
  clock: Clock;
  mailboxes: Mailboxes;
  presence: Presence;
  /** For work that nobody waits for. */
  background: (work: Promise<void>) => void;
}

/** How long an agent may take to mark as read what it fetched from its inbox. */
const TAKEN_MS = 30_000;

/**
 * Decides which path may put a message into an agent's context. A claim is on disk before it is granted, and a
 * delivery has one claimant: even if a path or the daemon crashes in between, no path delivers what another one has
 * started.
 */
export class Claims {
  readonly #store: DeliveryStore;
  readonly #clock: Clock;
  readonly #mailboxes: Mailboxes;
  readonly #presence: Presence;
  readonly #background: Parts['background'];
  /** Claiming, taking and reporting take several steps, so they are serialized per agent. */
  readonly #turns = new KeyedQueue();
  /** What agents are currently reading in their inboxes, by agent and number, with the time it ends. */
  readonly #taken = new Map<number, Map<number, number>>();
  /** Agents whose paths are notified when the reading time is over. */
  readonly #toldLater = new Set<number>();

  /** Called with the reported state of a path. */
  onPath: (agent: Agent, state: 'ready' | 'waits', reason: Reason | undefined) => void = () => undefined;
  /** Called when an agent was observed working on messages, or has read them. */
  onSeen: (agentId: number, isSeen: (message: { id: string; seq: number }) => boolean) => void = () =>
    undefined;

  constructor({ store, clock, mailboxes, presence, background }: Parts) {
    this.#store = store;
    this.#clock = clock;
    this.#mailboxes = mailboxes;
    this.#presence = presence;
    this.#background = background;
  }

  claim(
    agent: Agent,
    receiver: Receiver | undefined,
    params: OperationParams<'CLAIM'>,
  ): Promise<StoredMessage[]> {
    const { path } = params;
    const by = requirePath(receiver, path);
    // A path that takes messages has started, even if its program reports no states.
    if (!by.hasReported(path)) this.reportPath(agent, by, { path, state: 'ready' });
    return this.#turns.run(agent.id, () => this.#claim(agent, by, params));
  }

  async #claim(
    agent: Agent,
    by: Receiver,
    { path, limit }: OperationParams<'CLAIM'>,
  ): Promise<StoredMessage[]> {
    const now = this.#clock.now();
    const taken = this.#takenBy(agent.id);
    const mailbox = this.#mailboxes.of(agent.id);
    const query = { recipientId: agent.id, unreadOnly: true, now, take: 'oldest' } as const;
    const own = await this.#store.inbox({ ...query, limit, after: 0, claimedBy: by.id });
    const mayClaim = ({ seq }: StoredMessage) => !taken.has(seq) && (mailbox?.mayClaim(by, seq) ?? true);
    let { messages: wanted, cut: isFull } = page(own);
    let after = mailbox?.claimsAfter ?? 0;
    // Messages that cannot be claimed stay unread before the rest, however many there are.
    for (let isMore = true; isMore && !isFull && wanted.length < limit; ) {
      const free = await this.#store.inbox({ ...query, limit, after, hideClaimed: true });
      if (free.some(({ seq }) => taken.has(seq))) this.#tellWhenOver(agent.id, taken);
      ({ messages: wanted, cut: isFull } = page([...wanted, ...free.filter(mayClaim)].slice(0, limit)));
      after = free.at(-1)?.seq ?? after;
      isMore = mayHaveMore(free, limit);
    }
    // A receiver that disconnected meanwhile could not report on it.
    if (wanted.length === 0 || !this.#mailboxes.of(agent.id)?.has(by.id)) return [];
    const seqs = wanted.map(({ seq }) => seq);
    const granted = new Set(
      await this.#store.claim({ recipientId: agent.id, seqs, by: by.id, path, at: now }),
    );
    mailbox?.claimed([...granted]);
    const claimed = wanted.filter(({ seq }) => granted.has(seq));
    for (const message of claimed) this.#tell(agent, message, { type: 'delivery.accepted', path });
    return claimed;
  }

  /** What a path observed of claimed messages. */
  report(agent: Agent, receiver: Receiver | undefined, report: MessageReport): Promise<{ changed: number }> {
    const by = requirePath(receiver, report.path);
    return this.#turns.run(agent.id, () => this.#report(agent, by, report));
  }

  async #report(agent: Agent, by: Receiver, report: MessageReport): Promise<{ changed: number }> {
    const { path, state, reason: input } = report;
    const known = await this.#claimed(agent, by, report);
    const now = this.#clock.now();
    const changed =
      state === 'refused'
        ? await this.#refuse(agent, by, known)
        : await this.#store.observe(
            known.map(({ seq }): Observation => ({ recipientId: agent.id, seq, state, path, at: now })),
          );
    if (state !== 'refused') this.#mailboxes.of(agent.id)?.settled(known.map(({ seq }) => seq));
    const why = input && reasonOf(input);
    if (state === 'turn_started') this.onSeen(agent.id, ({ id }) => known.some((one) => one.id === id));
    if (changed > 0) {
      for (const one of known) {
        const afterMs = now - one.createdAt;
        this.#tell(agent, one, { type: `delivery.${state}`, path, afterMs, ...(why ? { reason: why } : {}) });
      }
    }
    return { changed };
  }

  /** A receiver has disconnected: what it began and did not report on is uncertain, unless it has reconnected. */
  left(agent: Agent, { id }: Receiver): void {
    const tellUncertain = async (): Promise<void> => {
      const open = await this.#store.openClaims(agent.id, id);
      if (this.#mailboxes.of(agent.id)?.has(id)) return;
      for (const { path, ...message } of open)
        this.#tell(agent, message, { type: 'delivery.uncertain', path, reason: reason('path_gone') });
    };
    this.#background(this.#turns.run(agent.id, tellUncertain));
  }

  /** Resolves when nothing is in progress. */
  settled(): Promise<void> {
    return this.#turns.settled();
  }

  /** The state a path reports. */
  reportPath(agent: Agent, receiver: Receiver | undefined, { path, state, reason: input }: PathReport): void {
    const by = requirePath(receiver, path);
    const why: { reason?: Reason } = input ? { reason: reasonOf(input) } : {};
    by.note(path, { state, ...why, since: this.#clock.now() });
    this.#presence.tell(agent.workspaceId, { type: 'path.changed', agent: agent.name, path, state, ...why });
    this.onPath(agent, state, why.reason);
  }

  /**
   * Reads an inbox for an agent that is about to see it: no path delivers those messages until they are marked read, or
   * until the time for that is over.
   */
  take<T extends { seq: number }>(agentId: number, read: () => Promise<T[]>): Promise<T[]> {
    return this.#turns.run(agentId, async () => {
      const messages = await read();
      const until = this.#clock.elapsed() + TAKEN_MS;
      const taken = this.#takenBy(agentId);
      for (const { seq } of messages) taken.set(seq, until);
      if (taken.size > 0) this.#taken.set(agentId, taken);
      return messages;
    });
  }

  /** Reads unclaimed messages for a program; waits for claims in progress. */
  readUnclaimed<T>(agentId: number, read: () => Promise<T>): Promise<T> {
    return this.#turns.run(agentId, read);
  }

  /** The agent has read these. */
  read(agentId: number, seqs: number[]): void {
    const taken = this.#taken.get(agentId);
    for (const seq of seqs) taken?.delete(seq);
    this.onSeen(agentId, ({ seq }) => seqs.includes(seq));
    this.#mailboxes.of(agentId)?.settled(seqs);
  }

  forget(agentId: number): void {
    this.#taken.delete(agentId);
  }

  /** A path that asked for messages the agent is reading asks again when it is notified. */
  #tellWhenOver(agentId: number, taken: ReadonlyMap<number, number>): void {
    if (this.#toldLater.has(agentId)) return;
    this.#toldLater.add(agentId);
    const over = Math.max(...taken.values());
    this.#clock.after(over - this.#clock.elapsed(), () => {
      this.#toldLater.delete(agentId);
      if (this.#taken.get(agentId)?.size) this.#mailboxes.of(agentId)?.catchUp();
    });
  }

  #takenBy(agentId: number): Map<number, number> {
    const taken = this.#taken.get(agentId) ?? new Map<number, number>();
    const now = this.#clock.elapsed();
    for (const [seq, until] of taken) if (until <= now) taken.delete(seq);
    if (taken.size === 0) this.#taken.delete(agentId);
    return taken;
  }

  /** The messages, if all are claimed; for `refused`, by this receiver or by a disconnected one. */
  async #claimed(
    agent: Agent,
    by: Receiver,
    { messages: ids, state }: MessageReport,
  ): Promise<Array<Known & { claimedBy: string }>> {
    const known = await this.#store.deliveredSeqs(agent.id, ids);
    const missing = ids.find((id) => !known.some((delivered) => delivered.id === id));
    if (missing !== undefined) {
      throw new RelayError('MessageNotFound', `No message ${missing} was delivered to ${agent.name}.`);
    }
    const seqs = known.map(({ seq }) => seq);
    const claims = new Map(
      (await this.#store.claimsOf(agent.id, seqs)).map(({ seq, claimedBy }) => [seq, claimedBy]),
    );
    const mailbox = this.#mailboxes.of(agent.id);
    return known.map((message) => {
      const claimedBy = claims.get(message.seq);
      const isOpen = claimedBy === by.id || (claimedBy !== undefined && !mailbox?.has(claimedBy));
      if (claimedBy !== undefined && (isOpen || state !== 'refused')) return { ...message, claimedBy };
      throw new RelayError('NotClaimed', `${message.id} is not claimed by this path.`);
    });
  }

  async #refuse(agent: Agent, by: Receiver, known: Array<Known & { claimedBy: string }>): Promise<number> {
    const claimants = [...new Set(known.map(({ claimedBy }) => claimedBy))];
    const seqs = known.map(({ seq }) => seq);
    const given = await this.#store.unclaim(agent.id, seqs, claimants);
    this.#mailboxes.of(agent.id)?.refused(by, given);
    return given.length;
  }

  #tell(
    agent: Agent,
    { id, senderId }: Pick<Known, 'id' | 'senderId'>,
    event: Pick<DeliveryEvent, 'type' | 'path' | 'reason' | 'afterMs'>,
  ): void {
    const told: DeliveryEvent = { ...event, messageId: id, agent: agent.name };
    this.#presence.tellAgent(senderId, told);
    this.#presence.tellOwner(agent.workspaceId, told);
  }
}

function requirePath(receiver: Receiver | undefined, path: ClaimingPath): ClaimingReceiver {
  if (receiver instanceof ClaimingReceiver && receiver.paths.includes(path)) return receiver;
  throw new RelayError('InvalidRequest', `This connection does not deliver by ${path}.`, {
    next: 'Declare the path in HELLO or RECEIVE.',
  });
}

const reasonOf = ({ code, detail, until }: ReasonInput): Reason =>
  reason(code, { ...(detail === undefined ? {} : { detail }), ...(until === undefined ? {} : { until }) });
