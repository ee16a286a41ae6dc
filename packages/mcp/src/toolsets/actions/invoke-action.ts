import type { CallProgress } from '@agent-relay/protocol';
import { isRelayError, RelayError } from '@agent-relay/sdk';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { replyJson } from '../../framework/result.ts';
import { type Call, defineTool, RUNS } from '../../framework/tool.ts';
import type { Participant } from '../../participant/participant.ts';
import { acknowledgement, outcome } from './invocation-result.ts';

export const invokeAction = defineTool({
  name: 'invoke_action',
  description:
    'Invoke an action, or a tool of an agent as "Agent.tool". Returns at once unless wait is true.',
  input: z.strictObject({
    name: z.string(),
    input: z.record(z.string(), z.unknown()).optional(),
    wait: z.boolean().default(false),
    timeout_ms: z.int().min(1).max(3_600_000).default(30_000).describe('How long to wait'),
  }),
  annotations: RUNS,
  handler: (participant, { name, input = {}, wait, timeout_ms }, call) =>
    invoke(participant, name, input, { wait, timeoutMs: timeout_ms }, call),
});

/** Invokes an action for a session: acknowledged when it is begun, or with its result. */
export async function invoke(
  participant: Participant,
  name: string,
  input: Record<string, unknown>,
  { wait, timeoutMs }: { wait: boolean; timeoutMs: number },
  call: Call,
): Promise<CallToolResult> {
  const relay = await participant.relay();
  const options = {
    wait,
    timeoutMs,
    signal: call.signal,
    onProgress: ({ progress, total, message }: CallProgress) =>
      void call.progress(progress, total ?? progress, message ?? name).catch(() => undefined),
  };
  const invocation = await relay.invoke(name, input, options).catch((error: unknown) => {
    throw isRelayError(error, 'Timeout') ? goesOn(error) : error;
  });
  return invocation.status === 'invoked' ? replyJson(acknowledgement(invocation)) : outcome(invocation);
}

function goesOn(error: RelayError): RelayError {
  const { message, details, retryable } = error;
  if (details?.invocationId === undefined) return error;
  const next = `Read its result later: get_invocation("${details.invocationId}").`;
  return new RelayError('Timeout', message, { next, details, retryable, cause: error });
}
