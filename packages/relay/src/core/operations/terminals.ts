import { requireAgent } from '../principal.ts';
import type { Relay } from '../relay.ts';
import type { Handlers } from './caller.ts';

type Names = 'SPAWN' | 'RELEASE' | 'RESULT_SUBMIT' | 'RESULT_AWAIT' | 'HOST' | 'RUN_REPORT';

/** Agents in terminals: starting and ending them, and what their hosts say. */
export function terminalHandlers({ terminals }: Relay): Handlers<Names> {
  const { hosts, spawning, releasing, results } = terminals;
  return {
    SPAWN: (caller, params) => spawning.spawn(caller.principal, params),
    RELEASE: (caller, { agent, reason }) => releasing.release(caller.principal, agent, reason),
    RESULT_SUBMIT: (caller, params, requestId) => results.submit(caller.principal, requestId, params),
    RESULT_AWAIT: (caller, { agent, timeoutMs }) => results.wait(caller.principal, agent, timeoutMs),
    HOST: async (caller, params, requestId) => {
      const agent = requireAgent(caller.principal);
      await hosts.connected({ ...caller.principal, agent }, params, caller.begin(requestId, 'host'));
      return {};
    },
    RUN_REPORT: async (caller, params) => {
      await hosts.reported(requireAgent(caller.principal), params);
      return {};
    },
  };
}
