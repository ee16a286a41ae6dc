import {
  durationText,
  encodeEnvelope,
  isRelayError,
  type Message,
  RelayError,
  type SendResult,
} from '@agent-relay/protocol';
import { type ClientSession, MAY_HAVE_HAPPENED } from '../../connection/client-session.ts';
import { callApplication } from '../../connection/emitter.ts';
import type { SendAndWaitOptions } from '../../options.ts';
import { awaitReply, GRACE_MS } from './await-reply.ts';

/** Sends a message and resolves with its answer; a lost connection only interrupts the wait. */
export async function ask(
  session: ClientSession,
  to: string,
  content: string,
  options: SendAndWaitOptions,
): Promise<Message> {
  const { timeoutMs = 30_000, signal, onStored, id = session.newId(), ...rest } = options;
  const deadline = performance.now() + timeoutMs;
  let stored: SendResult | undefined;
  /** The daemon only knows the time that was left at the latest connection. */
  const late = (wasSent: boolean) => {
    if (stored === undefined)
      return new RelayError(
        'Timeout',
        `The message to ${to} was not confirmed within ${durationText(timeoutMs)}.`,
        wasSent ? MAY_HAVE_HAPPENED : {},
      );
    return new RelayError(
      'Timeout',
      `No answer from ${to} to ${stored.messageId} within ${durationText(timeoutMs)}.`,
      {
        next: 'The message is stored; the answer will be in your inbox when it comes.',
        retryable: false,
        details: { messageId: stored.messageId },
      },
    );
  };
  return await awaitReply<Message>(session, signal, (settle) => ({
    id,
    sent: false,
    repeatable: true,
    deadline: deadline + GRACE_MS,
    encode: () => {
      const remaining = Math.max(1, Math.round(deadline - performance.now()));
      const awaiting = { await: { timeoutMs: remaining } };
      return encodeEnvelope('SEND', id, Date.now(), { to, content, ...rest, ...awaiting });
    },
    expire: late,
    answer: (result) => {
      const sent = result as unknown as SendResult;
      // After a reconnect the daemon confirms again.
      if (!stored && onStored) callApplication(onStored, sent);
      stored = sent;
      if (sent.held === undefined) return false;
      // Nobody got it, so there will be no answer.
      settle.reject(new RelayError('MessageHeld', `The message is held: ${sent.held}.`));
      return true;
    },
    reply: (message) => settle.resolve(message as Message),
    fail: (error) => settle.reject(isRelayError(error, 'Timeout') ? late(true) : error),
  }));
}
