import { z } from 'zod';
import type { ErrorPayload } from '../errors.ts';
import { messageId, result } from './define.ts';

/** What became of a call after a person decided about it. */
export interface ConsentOutcome {
  /** `running`: it was made, and has not ended yet. */
  call: 'denied' | 'running' | 'finished' | 'failed';
  /** Why it failed. */
  error?: ErrorPayload;
}

export const consentOperations = {
  /**
   * The decision of the person who was asked about a call, by the message that asks. Answered when the call was made, and if it
   * ends soon, with its end; refused if it has ended.
   */
  CONSENT_ANSWER: {
    params: z.object({ message: messageId, answer: z.enum(['allow', 'deny']) }).strict(),
    result: result<ConsentOutcome>(),
  },
} as const;
