import {
  encodeEnvelope,
  isRelayError,
  type Message,
  RelayError,
  type SendResult,
} from '@agent-relay/protocol';
import type { ClientSession } from '../connection/client-session.ts';
import { callApplication } from '../connection/emitter.ts';
import type { SendAndWaitOptions } from '../options.ts';

/** How much later than the daemon the client itself stops waiting for an answer. */
const GRACE_MS = 500;

/** Sends a message and resolves with its answer; a broken connection only interrupts the waiting. */
export async function ask(
  session: ClientSession,
  to: string,
  content: string,
  options: SendAndWaitOptions,
): Promise<Message> {
  const { timeoutMs = 30_000, signal, onStored, id = session.newId(), ...rest } = options;
  if (signal?.aborted) throw cancelled(signal);
  const { promise, resolve, reject } = Promise.withResolvers<Message>();
  const deadline = performance.now() + timeoutMs;
  let stored: SendResult | undefined;
  /** The daemon knows only the time that was left at the latest connection. */
  const late = () => {
    if (stored === undefined)
      return new RelayError('Timeout', `The message to ${to} was not confirmed within ${timeoutMs} ms.`);
    return new RelayError('Timeout', `No answer from ${to} to ${stored.messageId} within ${timeoutMs} ms.`, {
      next: 'The message is stored; the answer will be in your inbox when it comes.',
      retryable: false,
      details: { messageId: stored.messageId },
    });
  };
  const request = {
    id,
    sent: false,
    repeatable: true,
    deadline: deadline + GRACE_MS,
    encode: () => {
      const remaining = Math.max(1, Math.round(deadline - performance.now()));
      return encodeEnvelope('SEND', id, Date.now(), {
        to,
        content,
        ...rest,
        await: { timeoutMs: remaining },
      });
    },
    expire: late,
    answer: (result: Record<string, unknown>) => {
      const sent = result as unknown as SendResult;
      // After a reconnect the daemon confirms once more.
      if (!stored && onStored) callApplication(onStored, sent);
      stored = sent;
      if (sent.held === undefined) return false;
      // Nobody got it, so nobody will answer.
      reject(new RelayError('MessageHeld', `The message is held: ${sent.held}.`));
      return true;
    },
    reply: (message: unknown) => resolve(message as Message),
    fail: (error: Error) => reject(isRelayError(error, 'Timeout') ? late() : error),
  };
  const abort = () => session.cancel(request, cancelled(signal));
  signal?.addEventListener('abort', abort, { once: true });
  try {
    session.open(request);
    return await promise;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

const cancelled = (signal: AbortSignal | undefined): RelayError =>
  new RelayError('Cancelled', 'The waiting was ended by the caller.', { cause: signal?.reason });
