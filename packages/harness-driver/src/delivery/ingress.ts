import type { ClaimingPath } from '@agent-relay/protocol';
import type { Gate } from './gate.ts';

/**
 * What was observed of a delivery. `not begun`: certainly nothing, so it may be tried again. `announced`: the agent was told
 * that a message is in its inbox, and got nothing of it.
 */
export type Outcome = 'injected' | 'not begun' | 'announced' | 'uncertain';

/** A path into an agent's context. */
export interface Ingress {
  readonly path: ClaimingPath;
  /** How long its gate must have been open before it is used. */
  readonly steadyMs: number;
  /** Whether a message may be delivered now; undefined while unknown. */
  gate(): Gate | undefined;
  /** Delivers a message. One at a time. */
  deliver(message: { id: string; text: string }): Promise<Outcome>;
  /**
   * Resolves with whether the model was called. A turn has to begin within the time, and while `isStill` says that it would be
   * that of the message delivered last.
   */
  turnStarts(withinMs: number, isStill: () => boolean): Promise<boolean>;
  /** Called if an `uncertain` message is seen in the context after all. */
  onFound?: (id: string) => void;
}
