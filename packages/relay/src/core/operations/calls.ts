import type { Relay } from '../relay.ts';
import type { Handlers } from './caller.ts';

/** Calls of one agent's tools by another. */
export function callHandlers({ callees, calls }: Relay): Handlers<'SERVE' | 'CALL' | 'RESULT' | 'PROGRESS'> {
  return {
    SERVE: (caller, { tools }, requestId) => {
      callees.serve(caller, tools, requestId);
      return {};
    },
    CALL: (caller, params, requestId) => calls.start(caller, params, requestId),
    RESULT: (caller, params) => ({ open: callees.result(caller, params) }),
    PROGRESS: (caller, params) => {
      callees.progress(caller, params);
      return {};
    },
  };
}
