import { isRelayError, RelayError } from '@agent-relay/protocol';
import type { ClientSession } from '../../connection/client-session.ts';
import { progressOf } from '../calls/progress-of.ts';

/** A daemon that does not answer must not make a wait much longer than its time. */
const TRACE_MS = 2000;

/** Adds to the timeout of an awaited message what its recipient has done with it so far. Any other error stays as it is. */
export async function unanswered(session: ClientSession, error: unknown): Promise<unknown> {
  if (!isRelayError(error, 'Timeout') || error.details?.messageId === undefined) return error;
  const { next, retryable, details } = error;
  // Without a daemon there is no status; the timeout still holds.
  if (session.state !== 'connected') return error;
  const trace = session.request('TRACE', { id: error.details.messageId }, undefined, undefined, TRACE_MS);
  const { deliveries } = await trace.catch(() => ({ deliveries: [] }));
  const progress = deliveries.map((delivery) => ` ${progressOf(delivery, Date.now())}`).join('');
  return new RelayError('Timeout', `${error.message}${progress}`, { next, retryable, details, cause: error });
}
