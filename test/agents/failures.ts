import type { Failure } from './scripted-model.ts';

/** In a form that all clients can read: each looks at other parts of it. */
const failure = (status: number, type: string, code: string, name: string, message: string): Failure => ({
  status,
  body: { type: 'error', error: { code, type, status: name, message } },
});

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

/** As long as the real ones, which do not fit into one row. */
export const SIGNED_OUT = failure(
  401,
  'authentication_error',
  'invalid_api_key',
  'UNAUTHENTICATED',
  'Incorrect API key provided: any. You can find your API key at https://platform.example/account/api-keys, or sign in again.',
);

export const CONTEXT_FULL = failure(
  400,
  'invalid_request_error',
  'context_length_exceeded',
  'INVALID_ARGUMENT',
  'prompt is too long: 1200000 tokens > 1048576 maximum. The input token count exceeds the maximum number of tokens allowed.',
);
