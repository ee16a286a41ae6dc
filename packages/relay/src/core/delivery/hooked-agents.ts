import { type HookReasons, type PathInfo, type Reason, reason } from '@agent-relay/protocol';
import type { Clock } from '../ports/clock.ts';

interface Declared extends HookReasons {
  since: number;
}

/**
 * Agents whose CLI runs hooks of the relay at certain moments: each connects for a moment, so that in between no path is
 * there. A connection of the agent that stays, its MCP server, says what messages wait for meanwhile.
 */
export class HookedAgents {
  readonly #clock: Clock;
  readonly #declared = new Map<number, Declared[]>();
  /** Of these a hook has been connected. */
  readonly #seen = new Set<number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Until the function it returns is called. */
  declare(agentId: number, reasons: HookReasons): () => void {
    const declared: Declared = { ...reasons, since: this.#clock.now() };
    this.#declared.set(agentId, [...(this.#declared.get(agentId) ?? []), declared]);
    return () => {
      const left = this.#declared.get(agentId)?.filter((other) => other !== declared) ?? [];
      if (left.length > 0) this.#declared.set(agentId, left);
      else this.#declared.delete(agentId);
      // Another session begins without having run any.
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
