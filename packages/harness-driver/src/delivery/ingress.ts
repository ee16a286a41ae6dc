import type { ClaimingPath } from '@agent-relay/protocol';
import type { Gate } from './gate.ts';

/** What was seen of a message that was to go in. `not begun`: surely nothing of it, so that it may be tried again. */
export type Outcome = 'injected' | 'turn_started' | 'not begun' | 'uncertain';

/** A way into an agent's context. */
export interface Ingress {
  readonly path: ClaimingPath;
  /** How long its gate must have been open before it is used. */
  readonly steadyMs: number;
  /** Whether a message may go in now; undefined while nobody can tell. */
  gate(): Gate | undefined;
  /** Brings a message in. One at a time. */
  deliver(message: { id: string; text: string }): Promise<Outcome>;
  /** Resolves with whether the model was seen working within the time. */
  turnStarts(withinMs: number): Promise<boolean>;
  /** Called if a message that was `uncertain` is seen in the context after all. */
  onFound?: (id: string) => void;
}
