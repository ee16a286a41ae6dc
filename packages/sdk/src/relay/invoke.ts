import { encodeEnvelope, type InvocationInfo, isRelayError, RelayError } from '@agent-relay/protocol';
import type { ClientSession } from '../connection/client-session.ts';
import { callApplication } from '../connection/emitter.ts';
import type { InvokeOptions } from '../options.ts';
import { awaitReply, GRACE_MS } from './await-reply.ts';

/**
 * Invokes an action and resolves with what is known of it: that it is begun, or, with `wait`, how it ended. A broken connection
 * only interrupts that: the invocation has an id, and the same one is asked for again.
 */
export async function invoke(
  session: ClientSession,
  name: string,
  input: Record<string, unknown>,
  { wait = false, timeoutMs = 30_000, signal, onProgress, id = session.newId() }: InvokeOptions,
): Promise<InvocationInfo> {
  const requestId = session.newId();
  const deadline = performance.now() + timeoutMs;
  const late = () =>
    new RelayError('Timeout', `${name} did not end within ${timeoutMs} ms. It goes on.`, {
      next: `Read its result later: invocation ${id}.`,
      retryable: false,
      details: { invocationId: id },
    });
  return await awaitReply<InvocationInfo>(session, signal, (settle) => ({
    id: requestId,
    sent: false,
    repeatable: true,
    deadline: deadline + GRACE_MS,
    encode: () => {
      const remaining = Math.max(1, Math.round(deadline - performance.now()));
      const payload = { name, input, invocationId: id, wait, timeoutMs: remaining };
      return encodeEnvelope('INVOKE', requestId, Date.now(), payload);
    },
    expire: late,
    answer: (result) => {
      const { invocation } = result as { invocation: InvocationInfo };
      if (wait && invocation.status === 'invoked') return false;
      settle.resolve(invocation);
      return true;
    },
    reply: (invocation) => settle.resolve(invocation as InvocationInfo),
    progress: (progress) => {
      if (onProgress) callApplication(onProgress, progress);
    },
    fail: (error) => settle.reject(isRelayError(error, 'Timeout') ? late() : error),
  }));
}
