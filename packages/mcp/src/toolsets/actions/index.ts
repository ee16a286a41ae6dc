import type { Toolset } from '../../framework/toolset.ts';
import { getInvocation } from './get-invocation.ts';
import { failure } from './invocation-result.ts';
import { invokeAction } from './invoke-action.ts';
import { listActions } from './list-actions.ts';

export const ACTIONS_TOOLSET = 'actions';

/** What other agents perform when it is invoked; each action is a tool beside these, while its owner is there. */
export const actionsToolset: Toolset = {
  name: ACTIONS_TOOLSET,
  tools: [listActions, invokeAction, getInvocation],
  failure,
  // Alone, it cannot write messages: it is made to stand beside another toolset.
  wording: {
    send: (to) => `a toolset with messages (to ${to})`,
    answer: () => 'a toolset with messages',
    agents: 'list_actions',
    agentsAndTasks: 'list_actions',
    inbox: 'the resource relay://inbox',
    nextSteps: {
      ActionNotFound: 'See what there is: list_actions.',
      BackendUnavailable: 'Try again later; the relay keeps connecting.',
      InvocationNotFound: 'Check the id that invoke_action returned.',
      ToolNotFound: 'See the tools of an agent: list_actions with agent.',
    },
  },
};
