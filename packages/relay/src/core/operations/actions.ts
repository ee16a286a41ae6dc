import { LIST_PAGE, page } from '../reading/page.ts';
import type { Relay } from '../relay.ts';
import type { Handlers } from './caller.ts';

type Names = 'ACTIONS' | 'INVOKE' | 'INVOCATION' | 'INVOCATIONS';

/** What agents perform for others when it is invoked. */
export function actionHandlers({ invocations, targets }: Relay): Handlers<Names> {
  return {
    ACTIONS: ({ principal }, { cursor = '' }) => {
      const wanted = targets
        .actionsFor(principal)
        .filter(({ name }) => name > cursor)
        .sort((one, other) => (one.name < other.name ? -1 : 1));
      const { messages: actions } = page(wanted.slice(0, LIST_PAGE));
      const last = actions.at(-1);
      return last && actions.length < wanted.length ? { actions, next: last.name } : { actions };
    },
    INVOKE: (caller, params, requestId) => invocations.invoke(caller, params, requestId),
    INVOCATION: async ({ principal }, { invocationId }) => ({
      invocation: await invocations.get(principal, invocationId),
    }),
    INVOCATIONS: async ({ principal }, { limit }) => ({
      invocations: await invocations.list(principal, limit),
    }),
  };
}
