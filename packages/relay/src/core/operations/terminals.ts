import { principalFor } from '../calls/on-behalf.ts';
import { requireAgent } from '../principal.ts';
import type { Relay } from '../relay.ts';
import type { Handlers } from './caller.ts';

type Names =
  | 'TERMINAL_ATTACH'
  | 'TERMINAL_INPUT'
  | 'TERMINAL_RESIZE'
  | 'TERMINAL_HOLD'
  | 'TERMINAL_RECLAIM'
  | 'TERMINAL_OUTPUT'
  | 'PROMPT_LIST'
  | 'PROMPT_ANSWER'
  | 'PROMPT_REPORT'
  | 'SPAWN'
  | 'RELEASE'
  | 'RESUME'
  | 'RESULT_SUBMIT'
  | 'RESULT_AWAIT'
  | 'HOST'
  | 'RUN_REPORT'
  | 'RUN_NOTE';

/** Agents in terminals: starting and ending them, and the reports of their hosts. */
export function terminalHandlers({ agents, messages, terminals }: Relay): Handlers<Names> {
  const { hosts, spawning, resuming, releasing, results, viewing, prompts } = terminals;
  return {
    SPAWN: (caller, { call, ...wish }, requestId) => {
      // How long to wait, and the environment, are the performer's own.
      const { waitMs, env, ...asked } = wish;
      return spawning.spawn(principalFor(agents, caller, call, asked), requestId, wish, (text) =>
        caller.notify({ type: 'spawn.progress', agent: wish.name, text }),
      );
    },
    RELEASE: (caller, { agent, reason, call }) =>
      releasing.release(principalFor(agents, caller, call, { name: agent, reason }), agent, reason),
    RESUME: (caller, params) => resuming.resume(caller.principal, params),
    RESULT_SUBMIT: (caller, params, requestId) => results.submit(caller.principal, requestId, params),
    RESULT_AWAIT: (caller, { agent, timeoutMs }) => results.wait(caller.principal, agent, timeoutMs),
    HOST: (caller, params, requestId) => {
      const agent = requireAgent(caller.principal);
      caller.hosting = caller.begin(requestId, 'host');
      return hosts.connected({ ...caller.principal, agent }, params, caller.hosting);
    },
    TERMINAL_ATTACH: (caller, { call, ...params }, requestId) => {
      const asked = { name: params.agent, ...(params.mode === 'drive' && { mode: params.mode }) };
      return viewing.attach(caller, principalFor(agents, caller, call, asked), params, requestId);
    },
    TERMINAL_INPUT: (caller, params) => {
      viewing.input(caller, params);
      return {};
    },
    TERMINAL_RESIZE: (caller, params) => {
      viewing.resize(caller, params);
      return {};
    },
    TERMINAL_HOLD: (caller, params) => {
      viewing.hold(caller, params);
      return {};
    },
    TERMINAL_RECLAIM: ({ principal, hosting }, { run, viewer }) => {
      viewing.reclaimed(hosts.requireHost(requireAgent(principal), run, hosting).run, viewer);
      return {};
    },
    TERMINAL_OUTPUT: ({ principal, hosting }, params) => {
      viewing.output(hosts.requireHost(requireAgent(principal), params.run, hosting).run, params);
      return {};
    },
    PROMPT_LIST: (caller, { cursor }) => prompts.list(caller.principal, cursor),
    PROMPT_ANSWER: async (caller, params) => {
      await prompts.answer(caller.principal, params);
      return {};
    },
    PROMPT_REPORT: (caller, params) => {
      prompts.report(caller, params);
      return {};
    },
    RUN_REPORT: async (caller, params) => {
      const { principal, hosting } = caller;
      await hosts.reported(requireAgent(principal), params, hosting);
      return {};
    },
    RUN_NOTE: async ({ principal, hosting }, { run, id, content }) => {
      hosts.requireReporter(requireAgent(principal), run, hosting);
      await messages.sendNote(principal, id, content);
      return {};
    },
  };
}
