import { type InvocationInfo, RelayError } from '@agent-relay/sdk';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { replyJson } from '../../framework/result.ts';

const named = ({ invocationId, actionName }: InvocationInfo) => ({ invocationId, actionName });

export const acknowledgement = (invocation: InvocationInfo) => ({
  ok: true,
  status: 'invoked',
  invocation: named(invocation),
});

/** How an invocation ended. */
export function outcome(invocation: InvocationInfo): CallToolResult {
  const { status, result, error } = invocation;
  if (status === 'completed') return replyJson({ ok: true, status, invocation: named(invocation), result });
  return failure(error ? RelayError.fromPayload(error) : new RelayError('Internal'), {
    status,
    invocation: named(invocation),
  });
}

/** A failure: a sentence, with its code and the next step. */
export const failure = (
  { message, code, next, details }: RelayError,
  more: Record<string, unknown> = {},
): CallToolResult => ({
  isError: true,
  ...replyJson({ ok: false, error: message, code, next, ...(details ? { details } : {}), ...more }),
});
