import { type HookReasons, type PathInfo, type Reason, reason } from '@agent-relay/protocol';
import type { Clock } from '../ports/clock.ts';

interface Declared extends HookReasons {
  since: number;
}

/**
 * Agents whose CLI runs hooks of the relay. Each hook connects only briefly, so there is no path in between. The agent's MCP
 * server, which stays connected, declares what messages wait for in the meantime.
 */
export class HookedAgents {
  readonly #clock: Clock;
  readonly #declared = new Map<number, Declared[]>();
  /** Agents of which a hook has connected. */
  readonly #seen = new Set<number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Holds until the returned function is called. */
  declare(agentId: number, reasons: HookReasons): () => void {
    const declared: Declared = { ...reasons, since: this.#clock.now() };
    this.#declared.set(agentId, [...(this.#declared.get(agentId) ?? []), declared]);
    return () => {
      const left = this.#declared.get(agentId)?.filter((other) => other !== declared) ?? [];
      if (left.length > 0) this.#declared.set(agentId, left);
      else this.#declared.delete(agentId);
      // No hook of the next session has run yet.
      if (left.length === 0) this.#seen.delete(agentId);
    };
  }

  /** One of its hooks has connected. */
  seen(agentId: number): void {
    this.#seen.add(agentId);
  }

  reasonFor(agentId: number): Reason | undefined {
    const declared = this.#declared.get(agentId)?.at(-1);
    return declared && reason(this.#seen.has(agentId) ? declared.between : declared.before);
  }

  /** Its hooks as a path that is away. */
  describe(agentId: number): PathInfo | undefined {
    const [declared] = this.#declared.get(agentId) ?? [];
    const why = this.reasonFor(agentId);
    return (
      declared && why && { path: 'hook', inUse: false, state: 'away', reason: why, since: declared.since }
    );
  }
}
