import { allComplete, type Pair } from './pairs.ts';

/** Acknowledged messages a second with `window` messages of each pair in flight, for about `ms` milliseconds. */
export async function measureThroughput(pairs: Pair[], window: number, ms: number): Promise<number> {
  const before = totalSent(pairs);
  const startedAt = performance.now();
  let lastAcknowledgedAt = startedAt;
  const completion = allComplete(pairs);
  for (const pair of pairs) {
    pair.onReceived = completion.check;
    pair.onAcknowledged = () => {
      lastAcknowledgedAt = performance.now();
      if (lastAcknowledgedAt - startedAt < ms) pair.send();
      else completion.check();
    };
    for (let i = 0; i < window; i++) pair.send();
  }
  await completion.reached;
  return ((totalSent(pairs) - before) / (lastAcknowledgedAt - startedAt)) * 1000;
}

const totalSent = (pairs: Pair[]): number => pairs.reduce((sum, { sent }) => sum + sent, 0);
