import { RelayError } from '@agent-relay/protocol';
import type { ClientSession } from '../../connection/client-session.ts';
import type { OpenRequest } from '../../connection/requests.ts';

/** How much longer than the daemon the client waits for a reply. */
export const GRACE_MS = 500;

interface Settle<T> {
  resolve(value: T): void;
  reject(error: Error): void;
}

/** Sends a request that is answered by a later reply; waits until it arrives or `signal` is aborted. */
export async function awaitReply<T>(
  session: ClientSession,
  signal: AbortSignal | undefined,
  requestWith: (settle: Settle<T>) => OpenRequest,
): Promise<T> {
  const cancelled = () =>
    new RelayError('Cancelled', 'The caller stopped waiting.', { cause: signal?.reason });
  if (signal?.aborted) throw cancelled();
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const request = requestWith({ resolve, reject });
  const abort = () => session.cancel(request, cancelled());
  signal?.addEventListener('abort', abort, { once: true });
  try {
    session.open(request);
    return await promise;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}
