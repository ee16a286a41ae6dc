import { durationText, type Message, type PathInfo, RelayError } from '@agent-relay/protocol';
import type { Ongoing } from '../operations/caller.ts';
import type { Clock } from '../ports/clock.ts';
import type { Agent } from '../ports/store/agents.ts';

/** The waiter for an agent's next message: one at a time, because two would compete for it. */
export class Waiters {
  readonly #clock: Clock;
  readonly #byAgent = new Map<number, { id: string; since: number; ongoing: Ongoing; stop: () => void }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws if there already is one; a retry on a new connection replaces it. */
  open(agent: Agent, id: string, ongoing: Ongoing, timeoutMs: number): void {
    const before = this.#byAgent.get(agent.id);
    if (before && before.id !== id) {
      throw new RelayError(
        'AlreadyWaiting',
        `Another program is already waiting for the next message of ${agent.name}.`,
      );
    }
    before?.stop();
    const stopTimer = this.#clock.after(timeoutMs, () => {
      this.#byAgent.delete(agent.id);
      ongoing.fail(
        new RelayError('Timeout', `No message for ${agent.name} arrived within ${durationText(timeoutMs)}.`, {
          next: 'Wait again, or read the inbox later.',
        }),
      );
    });
    const waiter = { id, since: this.#clock.now(), ongoing, stop: () => stop() };
    const stop = () => {
      stopTimer();
      if (this.#byAgent.get(agent.id) === waiter) this.#byAgent.delete(agent.id);
    };
    this.#byAgent.set(agent.id, waiter);
    ongoing.onEnd = stop;
  }

  /** The path of the waiter, if there is one. */
  describe(agentId: number): Omit<PathInfo, 'inUse'> | undefined {
    const waiter = this.#byAgent.get(agentId);
    return waiter && { path: 'pull', state: 'ready', since: waiter.since };
  }

  arrived(agentId: number, message: Message): void {
    const waiter = this.#byAgent.get(agentId);
    if (!waiter) return;
    waiter.stop();
    waiter.ongoing.finish(message);
  }
}
