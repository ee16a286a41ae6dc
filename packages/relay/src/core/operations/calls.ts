import type { Relay } from '../relay.ts';
import type { Handlers } from './caller.ts';

type Names = 'SERVE' | 'CALL' | 'RESULT' | 'PROGRESS' | 'CONSENT_ANSWER';

/** Calls of one agent's tools by another. */
export function callHandlers({ callees, calls, consentAnswers }: Relay): Handlers<Names> {
  return {
    SERVE: (caller, params, requestId) => {
      callees.serve(caller, params, requestId);
      return {};
    },
    CALL: (caller, params, requestId) => calls.start(caller, params, requestId),
    RESULT: (caller, params) => ({ open: callees.result(caller, params) }),
    PROGRESS: (caller, params) => {
      callees.progress(caller, params);
      return {};
    },
    CONSENT_ANSWER: (caller, params) => consentAnswers.answer(caller.principal, params),
  };
}
