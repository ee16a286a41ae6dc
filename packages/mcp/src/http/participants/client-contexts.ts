import { AGENT_HEADER } from '@agent-relay/platform/http';
import { playsRoles } from '../../framework/toolset.ts';
import type { ClientContext, Offering, Replies } from '../../server/client-context.ts';
import { listingTurns } from '../../server/listings.ts';
import { Naming } from '../../server/naming.ts';
import type { Caller } from '../admission/caller.ts';
import { httpMembership } from './membership.ts';
import type { Lease, Participants } from './participants.ts';

const NEXT_STEPS = {
  AgentNameRequired: `Send your name in the header ${AGENT_HEADER}, or use an agent token as the bearer token.`,
} as const;

/** Creates the context of each session or request of the HTTP door. */
export class ClientContexts {
  readonly #participants: Participants;
  readonly #onerror: (error: unknown) => void;
  readonly #listings = listingTurns();

  constructor(participants: Participants, onerror: (error: unknown) => void) {
    this.#participants = participants;
    this.#onerror = onerror;
  }

  /** For requests without a session: shared by all of one caller. */
  shared(caller: Caller, offering: Offering, replies: Replies): { context: ClientContext; lease: Lease } {
    return this.#make(this.#participants.shared(caller), caller, offering, replies, false);
  }

  /** For one session. */
  session(
    caller: Caller,
    sessionId: string,
    offering: Offering,
    replies: Replies,
  ): { context: ClientContext; lease: Lease } {
    // A session with a role needs no agent.
    const isShared = caller.isNamed || playsRoles(offering.tools.toolsets);
    const lease = isShared
      ? this.#participants.shared(caller)
      : this.#participants.ofSession(caller, sessionId);
    return this.#make(lease, caller, offering, replies, true);
  }

  #make(lease: Lease, caller: Caller, offering: Offering, replies: Replies, isSession: boolean) {
    const context: ClientContext = {
      offering,
      participant: lease.participant,
      roles: this.#participants.roles(caller.access),
      naming: new Naming(caller.name),
      membership: httpMembership(caller, isSession),
      replies,
      listings: () => this.#listings.enter(caller.account),
      nextSteps: NEXT_STEPS,
      onerror: this.#onerror,
    };
    return { context, lease };
  }
}
