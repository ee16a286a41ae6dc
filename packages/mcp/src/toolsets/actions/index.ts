import type { Toolset } from '../../framework/toolset.ts';
import { getInvocation } from './get-invocation.ts';
import { failure } from './invocation-result.ts';
import { invokeAction } from './invoke-action.ts';
import { listActions } from './list-actions.ts';

export const ACTIONS_TOOLSET = 'actions';

/** Actions that other agents perform. Each action is also a tool of its own, while its owner is online. */
export const actionsToolset: Toolset = {
  name: ACTIONS_TOOLSET,
  tools: [listActions, invokeAction, getInvocation],
  failure,
  // It has no tools for messages: it is meant to be combined with another toolset.
  wording: {
    send: (to) => `a toolset with messages (to ${to})`,
    answer: () => 'a toolset with messages',
    agents: 'list_actions',
    agentsAndTasks: 'list_actions',
    inbox: 'the resource relay://inbox',
    nextSteps: {
      ActionNotFound: 'List the actions with list_actions.',
      BackendUnavailable: 'Try again later; the relay keeps connecting.',
      InvocationNotFound: 'Check the id that invoke_action returned.',
      ToolNotFound: 'List the tools of an agent with list_actions(agent="NAME").',
    },
  },
};
