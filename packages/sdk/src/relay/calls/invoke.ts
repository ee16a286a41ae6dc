import {
  durationText,
  encodeEnvelope,
  type InvocationInfo,
  isRelayError,
  RelayError,
} from '@agent-relay/protocol';
import type { ClientSession } from '../../connection/client-session.ts';
import { callApplication } from '../../connection/emitter.ts';
import type { InvokeOptions } from '../../options.ts';
import { awaitReply } from '../messages/await-reply.ts';
import { CallTime } from './call-time.ts';

/**
 * Invokes an action and resolves with what is known of it: that it has started, or, with `wait`, how it ended. A broken connection
 * only interrupts that: the invocation has an id, and the same one is asked for again.
 */
export async function invoke(
  session: ClientSession,
  name: string,
  input: Record<string, unknown>,
  {
    wait = false,
    timeoutMs,
    signal,
    onProgress,
    id = session.newId('inv'),
    parent,
  }: InvokeOptions & { parent?: string },
): Promise<InvocationInfo> {
  const requestId = session.newId();
  const time = new CallTime(timeoutMs);
  let wasAnswered = false;
  const late = () =>
    new RelayError('Timeout', `${name} did not end within ${durationText(time.ms)}. It is still running.`, {
      next: `Read its result later with: agent-relay actions ${id}`,
      retryable: false,
      details: { invocationId: id },
    });
  return await awaitReply<InvocationInfo>(session, signal, (settle) => ({
    id: requestId,
    sent: false,
    repeatable: true,
    get deadline() {
      return time.deadline;
    },
    encode: () => {
      const isKnown = timeoutMs !== undefined || wasAnswered;
      const payload = {
        name,
        input,
        invocationId: id,
        wait,
        ...(isKnown ? { timeoutMs: time.left } : {}),
        ...(parent === undefined ? {} : { parent }),
      };
      return encodeEnvelope('INVOKE', requestId, Date.now(), payload);
    },
    expire: late,
    answer: (result) => {
      const { invocation } = result as { invocation: InvocationInfo };
      wasAnswered = true;
      time.granted(result.timeoutMs);
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
