import { TokenBuckets } from '@agent-relay/platform/limits';
import { RelayError } from '@agent-relay/protocol';
import type { Clock } from '../ports/clock.ts';
import type { Principal } from '../principal.ts';
import { type Account, callerAccount } from './accounts.ts';

export interface RateLimit {
  /** Messages an agent may send per second, on average; 0 means no limit. */
  perSecond: number;
  /** Messages it may send at once after a pause. */
  burst: number;
}

/** An agent by its id, or an account without one. */
type Sender = number | Account;

/** Who calls count for. */
const senderIn = (principal: Principal): Sender => principal.agent?.id ?? callerAccount(principal);

/** Limits how often each sender sends. */
export class SendRates {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #buckets: TokenBuckets<Sender>;

  constructor(clock: Clock, { perSecond, burst }: RateLimit) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#buckets = new TokenBuckets({ amount: perSecond, periodMs: 1000, burst });
  }

  /** Counts a message; returns the error with the time to wait, if there are too many. */
  take(sender: Sender): RelayError | undefined {
    return this.#take(sender, 'messages');
  }

  /** Counts a call that the audit trail keeps for good, or throws with the time to wait. */
  countAudited(principal: Principal): void {
    const refusal = this.#take(senderIn(principal), 'messages and recorded calls');
    if (refusal) throw refusal;
  }

  #take(sender: Sender, what: string): RelayError | undefined {
    const limit = this.#perSecond;
    if (limit === 0) return undefined;
    const retryAfterMs = this.#buckets.take(sender, this.#clock.elapsed());
    if (retryAfterMs === 0) return undefined;
    const setting = 'rateLimit.perSecond';
    return new RelayError(
      'RateLimited',
      `More than ${limit} ${what} a second (${setting}); nothing was stored.`,
      { next: `Try again in ${retryAfterMs} ms.`, details: { retryAfterMs, limit, setting } },
    );
  }

  forget(agentId: number): void {
    this.#buckets.forget(agentId);
  }
}
