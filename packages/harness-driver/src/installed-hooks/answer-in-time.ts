import { RelayError } from '@agent-relay/protocol';
import { hookTimeLeft } from '../hooks/hook-deadline.ts';
import type { KnownHang } from './known-hang.ts';

/** A daemon that has not answered lately gets at least this long: one that is well answers within a fraction of it. */
const LEAST_PROBE_MS = 60;

/** As long as this process took to start: on a busy machine both are slow. */
const probeTime = (): number => Math.min(Math.max(LEAST_PROBE_MS, performance.now()), hookTimeLeft());

/** What comes of asking the daemon in the time that a hook has, else `Timeout`, which the next hooks then know. */
export async function answerInTime<T>(hang: KnownHang, ask: () => Promise<T>): Promise<T> {
  const isKnown = await hang.isRecent();
  const answer = withinTime(isKnown ? probeTime() : hookTimeLeft(), 'The daemon', ask());
  // An error is an answer too: no daemon at all is known at once.
  const isLate = await answer.then(
    () => false,
    (error) => error instanceof Late,
  );
  // Not again for a probe: when the minute is over, the daemon gets all the time of a hook.
  if (isLate && !isKnown) await hang.note();
  if (!isLate && isKnown) await hang.clear();
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
