import type { Toolset } from '../../framework/toolset.ts';
import { submitResult } from './submit-result.ts';

export const WORKER_TOOLSET = 'worker';

/** Tools of a worker, in addition to messages. The host of a spawned agent enables it. */
export const workerToolset: Toolset = {
  name: WORKER_TOOLSET,
  tools: [submitResult],
  // It has no tools for messages: it is meant to be combined with another toolset.
  wording: {
    send: (to) => `a toolset with messages (to ${to})`,
    answer: () => 'a toolset with messages',
    agents: 'the resource relay://agents',
    agentsAndTasks: 'the resource relay://agents',
    inbox: 'the resource relay://inbox',
    nextSteps: {},
  },
};
