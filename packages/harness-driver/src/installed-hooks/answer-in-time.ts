import { RelayError } from '@agent-relay/protocol';
import { hookTimeLeft } from '../hooks/hook-deadline.ts';
import type { KnownHang } from './known-hang.ts';

/** A daemon that has not answered lately gets this long: one that is well answers within a fraction of it. */
const PROBE_MS = 60;

/** What comes of asking the daemon in the time that a hook has, else `Timeout`, which the next hooks then know. */
export async function answerInTime<T>(hang: KnownHang, ask: () => Promise<T>): Promise<T> {
  const isKnown = await hang.isRecent();
  const answer = withinTime(isKnown ? PROBE_MS : hookTimeLeft(), 'The daemon', ask());
  // An error is an answer too: no daemon at all is known at once.
  const isLate = await answer.then(
    () => false,
    (error) => error instanceof Late,
  );
  if (isLate) await hang.note();
  else if (isKnown) await hang.clear();
  return await answer;
}

class Late extends RelayError {
  constructor(who: string, ms: number) {
    super('Timeout', `${who} did not answer within ${Math.round(ms)} ms.`);
  }
}

/** Rejects with `Timeout` if it is not over by then. */
export async function withinTime<T>(ms: number, who: string, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Late(who, ms)), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
