import { durationText, encodeEnvelope, isRelayError, RelayError } from '@agent-relay/protocol';
import type { ClientSession } from '../../connection/client-session.ts';
import { awaitReply, GRACE_MS } from './await-reply.ts';

/** Resolves when there are unread messages: now, or with the next one. A lost connection only interrupts the wait. */
export async function waitForMail(
  session: ClientSession,
  { timeoutMs = 30_000, signal }: { timeoutMs?: number; signal?: AbortSignal },
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  const id = session.newId();
  /** The daemon only knows the time that was left at the latest connection. */
  const late = () =>
    new RelayError('Timeout', `No message arrived within ${durationText(timeoutMs)}.`, {
      next: 'Wait again, or read the inbox later.',
    });
  await awaitReply<void>(session, signal, (settle) => ({
    id,
    sent: false,
    repeatable: true,
    deadline: deadline + GRACE_MS,
    encode: () => {
      const remaining = Math.max(1, Math.round(deadline - performance.now()));
      return encodeEnvelope('WAIT', id, Date.now(), { timeoutMs: remaining });
    },
    expire: late,
    answer: ({ unread }) => {
      if (unread === 0) return false;
      settle.resolve();
      return true;
    },
    reply: () => settle.resolve(),
    fail: (error) => settle.reject(isRelayError(error, 'Timeout') ? late() : error),
  }));
}
