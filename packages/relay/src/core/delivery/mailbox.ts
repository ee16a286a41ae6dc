import type { Message, PathInfo } from '@agent-relay/protocol';
import type { AcceptedDeliveries } from './accepted.ts';
import { type Receiver, rank, workingPath } from './receiver.ts';

type Accepted = Pick<AcceptedDeliveries, 'upTo' | 'passOver' | 'openAmongPassed' | 'settled'>;

/**
 * The connections that can deliver to one agent. One is in use at a time: the best that has not refused the
 * next message. When it disconnects or refuses, the next one takes over.
 */
export class Mailbox {
  readonly #agentId: number;
  readonly #accepted: Accepted;
  /** Best first; of equals, the oldest. */
  #receivers: Receiver[] = [];
  #inUse: Receiver | undefined;
  // Created on demand: most agents have one connection.
  /** Those that stood by while another one was in use: they start where that one ended. */
  #stoodBy: Set<Receiver> | undefined;
  /** Which receivers refused an undelivered message, and whether another one is working on it. */
  #refusals: Map<number, { by: Set<string>; isClaimed: boolean }> | undefined;

  constructor(agentId: number, accepted: Accepted) {
    this.#agentId = agentId;
    this.#accepted = accepted;
  }

  get isEmpty(): boolean {
    return this.#receivers.length === 0;
  }

  get inUse(): Receiver | undefined {
    return this.#inUse;
  }

  get receivers(): readonly Receiver[] {
    return this.#receivers;
  }

  /** The same receiver on a new connection: the old one may be lost without having been noticed. */
  add(receiver: Receiver): void {
    const before = this.#receivers.find(({ id }) => id === receiver.id);
    if (before) this.#drop(before);
    const at = this.#receivers.findIndex((other) => rank(other) > rank(receiver));
    this.#receivers = this.#receivers.toSpliced(at === -1 ? this.#receivers.length : at, 0, receiver);
    this.#choose();
  }

  /** False if it was already gone. */
  remove(receiver: Receiver): boolean {
    if (!this.#receivers.includes(receiver)) return false;
    this.#drop(receiver);
    this.#choose();
    return true;
  }

  offer(message: Message): void {
    this.#inUse?.offer(message);
  }

  catchUp(): void {
    this.#inUse?.catchUp();
  }

  has(receiverId: string): boolean {
    return this.#receivers.some(({ id }) => id === receiverId);
  }

  /** Up to where messages are with a program, except those that were passed over. */
  get withPrograms(): number {
    return Math.max(this.#acceptedUpTo, ...this.#receivers.map(({ lastPushed }) => lastPushed));
  }

  /** Claims start after this one. */
  get claimsAfter(): number {
    return Math.min(this.withPrograms, ...this.#passedOver().map((seq) => seq - 1));
  }

  /** Not what it refused itself or a program has, and nothing after that while another receiver may still deliver it. */
  mayClaim({ id }: Receiver, seq: number): boolean {
    if (seq <= this.withPrograms && !this.#passedOver().includes(seq)) return false;
    if (this.#refusals?.get(seq)?.by.has(id)) return false;
    const blocking = this.#blocking();
    return blocking === undefined || seq < blocking || !this.#refusals?.get(blocking)?.by.has(id);
  }

  refused({ id }: Receiver, seqs: number[]): void {
    const { withPrograms } = this;
    this.#accepted.passOver(
      this.#agentId,
      seqs.filter((seq) => seq <= withPrograms),
    );
    this.#refusals ??= new Map();
    for (const seq of seqs) {
      const by = this.#refusals.get(seq)?.by ?? new Set();
      this.#refusals.set(seq, { by: by.add(id), isClaimed: false });
    }
    this.#choose();
    this.#inUse?.catchUp();
  }

  /** A receiver is working on these. */
  claimed(seqs: number[]): void {
    let changed = false;
    for (const seq of seqs) {
      const refusal = this.#refusals?.get(seq);
      if (!refusal) continue;
      refusal.isClaimed = true;
      changed = true;
    }
    if (changed) this.#choose();
  }

  /** These are finished. */
  settled(seqs: number[]): void {
    this.#accepted.settled(this.#agentId, seqs);
    let changed = false;
    for (const seq of seqs) changed = this.#refusals?.delete(seq) || changed;
    if (changed) this.#choose();
  }

  /** Whether every receiver has refused it or is past it. */
  isRefused(seq: number): boolean {
    const refusal = this.#refusals?.get(seq);
    const isUnable = (receiver: Receiver) => refusal?.by.has(receiver.id) || receiver.isPast(seq);
    return refusal !== undefined && this.#receivers.every(isUnable);
  }

  describe(): PathInfo[] {
    return this.#receivers.flatMap((receiver) => {
      const used = receiver === this.#inUse ? workingPath(receiver) : undefined;
      return receiver.paths.map(
        (path): PathInfo => ({ path, inUse: path === used, ...receiver.statusOf(path) }),
      );
    });
  }

  /** Whether the agent is working, as reported by its terminal or another path; undefined if unknown. */
  get isBusy(): boolean | undefined {
    const statuses = this.#inUse?.paths
      .filter((path) => path !== 'push')
      .map((path) => this.#inUse?.statusOf(path));
    // A hold takes precedence over other reasons.
    if (!statuses?.length || statuses.some((status) => status?.reason?.code === 'held_by_viewer'))
      return undefined;
    return statuses.some((status) => status?.reason?.code === 'busy');
  }

  /** The last pushed message that programs of the agent have accepted. */
  get #acceptedUpTo(): number {
    return this.#accepted.upTo(this.#agentId);
  }

  #passedOver(): number[] {
    return this.#accepted.openAmongPassed(this.#agentId);
  }

  #drop(receiver: Receiver): void {
    this.#receivers = this.#receivers.filter((other) => other !== receiver);
    this.#stoodBy?.delete(receiver);
  }

  /** The oldest refused message that some receiver has not tried yet. */
  #blocking(): number | undefined {
    if (!this.#refusals?.size) return undefined;
    const isOpen = ([seq, { isClaimed }]: [number, { isClaimed: boolean }]) =>
      !isClaimed && !this.isRefused(seq);
    const open = [...this.#refusals].filter(isOpen).map(([seq]) => seq);
    return open.length === 0 ? undefined : Math.min(...open);
  }

  #choose(): void {
    const blocking = this.#blocking();
    const refusal = blocking === undefined ? undefined : this.#refusals?.get(blocking);
    const next = this.#receivers.find(({ id }) => !refusal?.by.has(id));
    if (next !== this.#inUse) {
      this.#inUse?.rest();
      this.#inUse = next;
      next?.use(this.#stoodBy?.has(next) ? this.#acceptedUpTo : 0);
    }
    const standing = this.#receivers.filter((receiver) => receiver !== next);
    if (standing.length > 0) this.#stoodBy = new Set([...(this.#stoodBy ?? []), ...standing]);
  }
}
