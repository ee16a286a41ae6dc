import { stopSignal } from './stop-signal.ts';

/** Runs work that never ends: Ctrl-C ends it, and counts as success. */
export async function untilInterrupted(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const interruption = new AbortController();
  void stopSignal().then(() => interruption.abort());
  await work(interruption.signal);
}
