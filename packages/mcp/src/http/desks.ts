import type { Catalogue, Desk, Replies } from '../server/desk.ts';
import { AGENT_HEADER } from './access.ts';
import type { Caller } from './caller.ts';
import { httpMembership } from './membership.ts';
import type { Lease, Participants } from './participants.ts';

const NEXT_STEPS = {
  AgentNameRequired: `Say who you are: send the header ${AGENT_HEADER} with your name, or use an agent token as the bearer.`,
} as const;

/** Sets up the desks at which the sessions and requests of a door are served. */
export class Desks {
  readonly #participants: Participants;
  readonly #onerror: (error: unknown) => void;

  constructor(participants: Participants, onerror: (error: unknown) => void) {
    this.#participants = participants;
    this.#onerror = onerror;
  }

  /** A desk for requests that stand alone, shared by all that could be meant. */
  shared(caller: Caller, catalogue: Catalogue, replies: Replies): { desk: Desk; lease: Lease } {
    return this.#at(this.#participants.shared(caller), caller, catalogue, replies, false);
  }

  /** A desk for one session. */
  session(
    caller: Caller,
    sessionId: string,
    catalogue: Catalogue,
    replies: Replies,
  ): { desk: Desk; lease: Lease } {
    const lease = caller.isNamed
      ? this.#participants.shared(caller)
      : this.#participants.ofSession(caller, sessionId);
    return this.#at(lease, caller, catalogue, replies, true);
  }

  #at(lease: Lease, caller: Caller, catalogue: Catalogue, replies: Replies, isSession: boolean) {
    const desk: Desk = {
      catalogue,
      participant: lease.participant,
      roles: this.#participants.roles(caller.access),
      membership: httpMembership(caller, isSession),
      replies,
      nextSteps: NEXT_STEPS,
      onerror: this.#onerror,
    };
    return { desk, lease };
  }
}
