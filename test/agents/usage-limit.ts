import type { Failure } from './scripted-model.ts';

/** In a form that all clients can read: each looks at other parts of it. */
export const USAGE_LIMIT: Failure = {
  status: 429,
  body: {
    type: 'error',
    error: {
      code: 429,
      type: 'rate_limit_error',
      status: 'RESOURCE_EXHAUSTED',
      message: 'The usage limit is reached.',
    },
  },
};
