import type { Toolset } from '../../framework/toolset.ts';
import { submitResult } from './submit-result.ts';

export const WORKER_TOOLSET = 'worker';

/** What a worker needs beside messages. The host of a spawned agent asks for it. */
export const workerToolset: Toolset = {
  name: WORKER_TOOLSET,
  tools: [submitResult],
  // Alone, it cannot read or write messages: it is made to stand beside another toolset.
  wording: {
    send: (to) => `a toolset with messages (to ${to})`,
    answer: () => 'a toolset with messages',
    agents: 'the resource relay://agents',
    agentsAndTasks: 'the resource relay://agents',
    inbox: 'the resource relay://inbox',
    nextSteps: {},
  },
};
