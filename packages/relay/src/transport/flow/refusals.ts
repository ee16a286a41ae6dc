import type { Clock } from '../../core/ports/clock.ts';

/** Larger refused requests cost more: this many bytes count as one more. */
const BYTES_OF_ONE = 8 * 1024;
/** The burst that is free after a pause. */
const BURST_SECONDS = 2;
/** The longest single delay. */
const MAX_WAIT_MS = 4_000;
/** Beyond this many clients, the one with the oldest refusal is dropped. */
const MAX_CLIENTS = 10_000;

interface Debt {
  amount: number;
  measuredAt: number;
}

/**
 * Clients whose requests are refused again and again are read more slowly: refusing is cheap, but a client in an
 * endless loop would keep the daemon busy with it. Concurrent requests queue up, however many connections they
 * come from.
 */
export class Refusals {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #debts = new Map<string, Debt>();

  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
  }

  /** Counts a refused request of a client; returns for how many milliseconds to stop reading from it. */
  charge(client: string, bytes: number): number {
    const now = this.#clock.elapsed();
    const known = this.#debts.get(client);
    const paid = known ? ((now - known.measuredAt) / 1000) * this.#perSecond : 0;
    const amount = Math.max(0, (known?.amount ?? 0) - paid) + 1 + bytes / BYTES_OF_ONE;
    this.#debts.delete(client);
    this.#debts.set(client, { amount, measuredAt: now });
    this.#forgetOldest();
    const waitMs = ((amount - BURST_SECONDS * this.#perSecond) * 1000) / this.#perSecond;
    return Math.min(Math.max(0, Math.ceil(waitMs)), MAX_WAIT_MS);
  }

  #forgetOldest(): void {
    if (this.#debts.size <= MAX_CLIENTS) return;
    const [oldest] = this.#debts.keys();
    if (oldest !== undefined) this.#debts.delete(oldest);
  }
}
