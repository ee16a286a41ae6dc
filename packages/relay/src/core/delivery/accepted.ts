import type { Clock } from '../ports/clock.ts';

/** How many acceptance times are kept per agent; older ones are thinned out and become less exact. */
const CHECKPOINTS = 256;

/** How many passed-over deliveries are known per agent. */
const PASSED_OVER = 256;

interface Checkpoint {
  upTo: number;
  at: number;
}

/**
 * What programs have accepted of what was pushed to them. In memory: after a crash, the client accepts the
 * delivery again. One number per agent, because a client accepts its deliveries in order.
 */
export class AcceptedDeliveries {
  readonly #clock: Clock;
  readonly #byAgent = new Map<number, Checkpoint[]>();
  /** Ranges where deliveries were inserted among accepted ones: it is unknown which of them were accepted. */
  readonly #unclear = new Map<number, { from: number; to: number }>();
  /** Among the accepted ones, what no program got: a path had claimed it, and gave it back. */
  readonly #passedOver = new Map<number, Map<number, { isOpen: boolean }>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A client of the agent has accepted everything up to this sequence number. */
  note(agentId: number, upTo: number): void {
    const checkpoints = this.#byAgent.get(agentId) ?? [];
    if (upTo <= (checkpoints.at(-1)?.upTo ?? 0)) return;
    checkpoints.push({ upTo, at: this.#clock.now() });
    // Keep the newest, which is the current state; drop every second of the others.
    const kept = (index: number) => (checkpoints.length - index) % 2 === 1;
    const thinned =
      checkpoints.length > CHECKPOINTS ? checkpoints.filter((_, index) => kept(index)) : checkpoints;
    this.#byAgent.set(agentId, thinned);
  }

  upTo(agentId: number): number {
    return this.#byAgent.get(agentId)?.at(-1)?.upTo ?? 0;
  }

  /** When the agent accepted this delivery; undefined if it did not, or if that is unknown. */
  at(agentId: number, seq: number): number | undefined {
    if (this.isUnclear(agentId, seq) || this.#passedOver.get(agentId)?.has(seq)) return undefined;
    return this.#byAgent.get(agentId)?.find(({ upTo }) => upTo >= seq)?.at;
  }

  isUnclear(agentId: number, seq: number): boolean {
    const range = this.#unclear.get(agentId);
    return range !== undefined && range.from <= seq && seq <= range.to;
  }

  /** Programs have later messages than these, and will not get these. */
  passOver(agentId: number, seqs: readonly number[]): void {
    if (seqs.length === 0) return;
    const passedOver = this.#passedOver.get(agentId) ?? new Map<number, { isOpen: boolean }>();
    for (const seq of seqs) passedOver.set(seq, { isOpen: true });
    for (const seq of [...passedOver.keys()].slice(0, -PASSED_OVER)) passedOver.delete(seq);
    this.#passedOver.set(agentId, passedOver);
  }

  /** Those that no path has delivered yet, and the agent has not read. */
  openAmongPassed(agentId: number): number[] {
    return [...(this.#passedOver.get(agentId) ?? [])].flatMap(([seq, { isOpen }]) => (isOpen ? [seq] : []));
  }

  settled(agentId: number, seqs: readonly number[]): void {
    const passedOver = this.#passedOver.get(agentId);
    for (const seq of seqs) if (passedOver?.has(seq)) passedOver.set(seq, { isOpen: false });
  }

  /**
   * Deliveries were written to the store directly, the first of them at `from`; up to `pushed` the agent's
   * clients already have theirs.
   */
  inserted(agentId: number, from: number, pushed: number): void {
    const to = Math.max(this.upTo(agentId), pushed);
    if (from > to) return;
    const before = this.#unclear.get(agentId) ?? { from, to };
    this.#unclear.set(agentId, { from: Math.min(from, before.from), to: Math.max(to, before.to) });
  }

  /** An agent was removed. */
  forget(agentId: number): void {
    this.#byAgent.delete(agentId);
    this.#unclear.delete(agentId);
    this.#passedOver.delete(agentId);
  }
}
