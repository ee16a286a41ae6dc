import type { ConsentOutcome, PromptAnswer } from '@agent-relay/protocol';
import type { ClientSession } from '../../connection/client-session.ts';

/** Calls that this person has to allow; the relay asks for each in a message. */
export class Consents {
  readonly #session: ClientSession;

  constructor(session: ClientSession) {
    this.#session = session;
  }

  /** Allows or denies the call that a message asks about; resolves with what became of it, fails with `CallEnded` if it has ended. */
  answer(messageId: string, answer: PromptAnswer): Promise<ConsentOutcome> {
    return this.#session.request('CONSENT_ANSWER', { message: messageId, answer });
  }
}
