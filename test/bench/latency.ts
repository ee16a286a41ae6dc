import type { Pair } from './pairs.ts';

/** Milliseconds from sending a message to its arrival at the receiver; the next is sent when this one is also acknowledged. */
export async function measureLatency(pair: Pair, count: number): Promise<number[]> {
  const latencies: number[] = [];
  for (let i = 0; i < count; i++) {
    const startedAt = performance.now();
    const complete = new Promise<void>((resolve) => {
      pair.onReceived = () => {
        latencies.push(performance.now() - startedAt);
        if (pair.isComplete) resolve();
      };
      pair.onAcknowledged = () => {
        if (pair.isComplete) resolve();
      };
    });
    pair.send();
    await Promise.race([complete, pair.broken]);
  }
  return latencies;
}
