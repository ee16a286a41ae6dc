import type { Clock } from '../ports/clock.ts';

/** How many times of acceptance are kept per agent; older ones are thinned out, which only makes them less exact. */
const CHECKPOINTS = 256;

interface Checkpoint {
  upTo: number;
  at: number;
}

/**
 * What programs have taken of what was pushed to them. In memory: a crash may forget it, and the client takes the
 * delivery again. One number per agent, because a client takes its deliveries in order.
 */
export class AcceptedDeliveries {
  readonly #clock: Clock;
  readonly #byAgent = new Map<number, Checkpoint[]>();
  /** Where deliveries came in among those an agent had taken: which of them it took cannot be told any more. */
  readonly #unclear = new Map<number, { from: number; to: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A client of the agent has taken everything up to this sequence number. */
  note(agentId: number, upTo: number): void {
    const checkpoints = this.#byAgent.get(agentId) ?? [];
    if (upTo <= (checkpoints.at(-1)?.upTo ?? 0)) return;
    checkpoints.push({ upTo, at: this.#clock.now() });
    // The newest stays: it is the state itself; of the others every second goes.
    const kept = (index: number) => (checkpoints.length - index) % 2 === 1;
    const thinned =
      checkpoints.length > CHECKPOINTS ? checkpoints.filter((_, index) => kept(index)) : checkpoints;
    this.#byAgent.set(agentId, thinned);
  }

  upTo(agentId: number): number {
    return this.#byAgent.get(agentId)?.at(-1)?.upTo ?? 0;
  }

  /** When the agent took this delivery; undefined if it did not, or if that cannot be told. */
  at(agentId: number, seq: number): number | undefined {
    if (this.isUnclear(agentId, seq)) return undefined;
    return this.#byAgent.get(agentId)?.find(({ upTo }) => upTo >= seq)?.at;
  }

  isUnclear(agentId: number, seq: number): boolean {
    const range = this.#unclear.get(agentId);
    return range !== undefined && range.from <= seq && seq <= range.to;
  }

  /**
   * Deliveries were put into the store beside the domain, the first of them at `from`; up to `pushed` the agent's
   * clients had been given theirs.
   */
  inserted(agentId: number, from: number, pushed: number): void {
    const to = Math.max(this.upTo(agentId), pushed);
    if (from > to) return;
    const before = this.#unclear.get(agentId) ?? { from, to };
    this.#unclear.set(agentId, { from: Math.min(from, before.from), to: Math.max(to, before.to) });
  }

  /** An agent is gone for good. */
  forget(agentId: number): void {
    this.#byAgent.delete(agentId);
    this.#unclear.delete(agentId);
  }
}
