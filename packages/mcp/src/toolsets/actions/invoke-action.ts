import { isRelayError, type RelayError } from '@agent-relay/sdk';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { replyJson } from '../../framework/result.ts';
import { ACTS, type Call, defineTool } from '../../framework/tool.ts';
import type { Participant } from '../../participant/participant.ts';
import { acknowledgement, failure, outcome } from './invocation-result.ts';

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
  annotations: ACTS,
  handler: (participant, { name, input = {}, wait, timeout_ms }, call) =>
    invoke(participant, name, input, { wait, timeoutMs: timeout_ms }, call),
});

/** Invokes an action for a session: acknowledged when it is begun, or with its result. Failures have the form of S4 too. */
export async function invoke(
  participant: Participant,
  name: string,
  input: Record<string, unknown>,
  { wait, timeoutMs }: { wait: boolean; timeoutMs: number },
  call: Call,
): Promise<CallToolResult> {
  try {
    const relay = await participant.relay();
    const invocation = await relay.invoke(name, input, {
      wait,
      timeoutMs,
      signal: call.signal,
      onProgress: ({ progress, total, message }) =>
        void call.progress(progress, total ?? progress, message ?? name).catch(() => undefined),
    });
    return invocation.status === 'invoked' ? replyJson(acknowledgement(invocation)) : outcome(invocation);
  } catch (error) {
    if (!isRelayError(error)) throw error;
    return failure(call.explained(error as RelayError));
  }
}
